/* SPDX-License-Identifier: MIT */
/*
 * list.h - a ring of nodes, each inside the thing it lists.
 *
 *	head <-> a <-> b <-> c <-> (head)
 *
 * Law: n->next->prev == n.  A node that is on no list points at itself.
 */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include "base/types.h"

struct list_head {
	struct list_head *next, *prev;
};

/* An empty list, or a node that is on none. */
static inline void list_init(struct list_head *head)
{
	head->next = head->prev = head;
}

/* Has it no node; or is this node on no list? */
static inline bool list_empty(const struct list_head *head) { return head->next == head; }

/* @node, which is on no list, comes between two neighbours. */
static inline void list_insert(struct list_head *node, struct list_head *prev, struct list_head *next)
{
	node->prev = prev;
	node->next = next;
	prev->next = node;
	next->prev = node;
}

/* @node, which is on no list, becomes the first. */
static inline void list_add(struct list_head *node, struct list_head *head)
{
	list_insert(node, head, head->next);
}

/* @node, which is on no list, becomes the last. */
static inline void list_add_tail(struct list_head *node, struct list_head *head)
{
	list_insert(node, head->prev, head);
}

/* Off its list; harmless for a node that is on none. */
static inline void list_del(struct list_head *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
	list_init(node);
}

#define list_entry(ptr, type, member) container_of(ptr, type, member)
#define list_for_each(pos, head) for (pos = (head)->next; pos != (head); pos = pos->next)
#define list_for_each_safe(pos, n, head)                                                                       \
	for (pos = (head)->next, n = pos->next; pos != (head); pos = n, n = pos->next)

#endif
