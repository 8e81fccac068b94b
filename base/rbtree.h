/* SPDX-License-Identifier: MIT */
/*
 * rbtree.h - a red-black tree of nodes inside the things it orders, with the leftmost node at hand.
 *
 * The owner walks down by its own order and hands over the place:
 *
 *	struct rb_node **link = &tree->root, *parent = NULL;
 *	bool leftmost = true;
 *	while (*link) { parent = *link; if (less) link = &parent->left; else { link = &parent->right; leftmost = false; } }
 *	rb_insert(tree, node, parent, link, leftmost);
 *
 * Going right on equal keys makes equals come out first in, first out.
 * An augmented tree keeps in each node a summary of the subtree below it; @update recomputes one node from itself and its two
 * children, and says whether that changed anything.
 * Laws (rb_check): no red node has a red child; every path has as many black nodes; leftmost is the leftmost.
 */
#ifndef BASE_RBTREE_H
#define BASE_RBTREE_H

#include "base/types.h"

struct rb_node {
	struct rb_node *parent, *left, *right;
	bool red;
};

struct rb_tree {
	struct rb_node *root, *leftmost;
	bool (*update)(struct rb_node *node); /* or NULL */
};

/* An empty tree.  @update makes the summary of a subtree anew and says whether it changed; NULL: none is kept. */
static inline void rb_init(struct rb_tree *tree, bool (*update)(struct rb_node *node))
{
	tree->root = tree->leftmost = NULL;
	tree->update = update;
}

/* In order; NULL where there is none. */
static inline struct rb_node *rb_first(const struct rb_tree *tree) { return tree->leftmost; }
struct rb_node *rb_next(const struct rb_node *node); /* NULL past the last */
struct rb_node *rb_prev(const struct rb_node *node);
struct rb_node *rb_last(const struct rb_tree *tree);

/* Put @node at *@link, the empty place below @parent (NULL: the root) that the caller found; @leftmost: it went left all the way. */
void rb_insert(struct rb_tree *tree, struct rb_node *node, struct rb_node *parent, struct rb_node **link, bool leftmost);
void rb_erase(struct rb_tree *tree, struct rb_node *node); /* which is in @tree */

/* A value of @node that its summary depends on has changed: bring the summaries above it up to date. */
void rb_propagate(struct rb_tree *tree, struct rb_node *node);

/* The number of nodes, or -1 where a law is broken. */
s64 rb_check(const struct rb_tree *tree);

#endif
