/* SPDX-License-Identifier: MIT */
/*
 * rbtree.c - insertion and removal by the textbook cases, written once for a side and its mirror: child[side].
 *
 * After each change of shape the summaries of the two turned nodes are recomputed at once; those above are brought up
 * to date by one walk to the root at the end.
 */
#include "base/rbtree.h"

static bool is_red(const struct rb_node *node) { return node && node->red; }

static struct rb_node **child(struct rb_node *node, bool right) { return right ? &node->right : &node->left; }

static bool is_right(const struct rb_node *node) { return node->parent->right == node; }

static struct rb_node **link_to(struct rb_tree *tree, struct rb_node *node)
{
	return node->parent ? child(node->parent, is_right(node)) : &tree->root;
}

static void update(struct rb_tree *tree, struct rb_node *node)
{
	if (tree->update && node)
		tree->update(node);
}

void rb_propagate(struct rb_tree *tree, struct rb_node *node)
{
	if (!tree->update)
		return;
	for (; node; node = node->parent)
		tree->update(node);
}

/* Lift @node's child on the side opposite of @right into its place: @node sinks to the @right. */
static void rotate(struct rb_tree *tree, struct rb_node *node, bool right)
{
	struct rb_node *up = *child(node, !right);
	struct rb_node *inner = *child(up, right);

	*link_to(tree, node) = up;
	up->parent = node->parent;
	*child(up, right) = node;
	node->parent = up;
	*child(node, !right) = inner;
	if (inner)
		inner->parent = node;
	update(tree, node);
	update(tree, up);
}

void rb_insert(struct rb_tree *tree, struct rb_node *node, struct rb_node *parent, struct rb_node **link, bool leftmost)
{
	node->parent = parent;
	node->left = node->right = NULL;
	node->red = true;
	*link = node;
	if (leftmost)
		tree->leftmost = node;
	rb_propagate(tree, node);

	while (is_red(node->parent)) {
		struct rb_node *grand = node->parent->parent; /* a red node is never the root */
		bool side = is_right(node->parent);
		struct rb_node *uncle = *child(grand, !side);

		if (is_red(uncle)) {
			node->parent->red = uncle->red = false;
			grand->red = true;
			node = grand;
			continue;
		}
		if (is_right(node) != side) {
			node = node->parent;
			rotate(tree, node, side);
		}
		node->parent->red = false;
		grand->red = true;
		rotate(tree, grand, !side);
	}
	tree->root->red = false;
}

/* The subtree at @node (maybe empty, below @parent) is one black short: make up for it. */
static void fix_black(struct rb_tree *tree, struct rb_node *node, struct rb_node *parent)
{
	while (parent && !is_red(node)) {
		bool side = parent->right == node;
		struct rb_node *sibling = *child(parent, !side);

		if (is_red(sibling)) {
			sibling->red = false;
			parent->red = true;
			rotate(tree, parent, side);
			sibling = *child(parent, !side);
		}
		if (!is_red(sibling->left) && !is_red(sibling->right)) {
			sibling->red = true;
			node = parent;
			parent = node->parent;
			continue;
		}
		if (!is_red(*child(sibling, !side))) {
			(*child(sibling, side))->red = false;
			sibling->red = true;
			rotate(tree, sibling, !side);
			sibling = *child(parent, !side);
		}
		sibling->red = parent->red;
		parent->red = false;
		(*child(sibling, !side))->red = false;
		rotate(tree, parent, side);
		return;
	}
	if (node)
		node->red = false;
}

/* Put @next where @node is; @node's own children are not touched. */
static void replace(struct rb_tree *tree, struct rb_node *node, struct rb_node *next)
{
	*link_to(tree, node) = next;
	if (next)
		next->parent = node->parent;
}

void rb_erase(struct rb_tree *tree, struct rb_node *node)
{
	struct rb_node *hole, *above;
	bool black = !node->red;

	if (tree->leftmost == node)
		tree->leftmost = rb_next(node);

	if (!node->left || !node->right) {
		hole = node->left ? node->left : node->right;
		above = node->parent;
		replace(tree, node, hole);
	} else {
		struct rb_node *heir = node->right;

		while (heir->left)
			heir = heir->left;
		black = !heir->red;
		hole = heir->right;
		above = heir;
		if (heir != node->right) {
			above = heir->parent;
			replace(tree, heir, hole);
			heir->right = node->right;
			heir->right->parent = heir;
		}
		replace(tree, node, heir);
		heir->left = node->left;
		heir->left->parent = heir;
		heir->red = node->red;
	}
	rb_propagate(tree, above);
	if (black)
		fix_black(tree, hole, above);
	rb_propagate(tree, above);
}

struct rb_node *rb_next(const struct rb_node *node)
{
	struct rb_node *n = node->right;

	if (n) {
		while (n->left)
			n = n->left;
		return n;
	}
	for (n = node->parent; n && n->right == node; n = n->parent)
		node = n;
	return n;
}

struct rb_node *rb_prev(const struct rb_node *node)
{
	struct rb_node *n = node->left;

	if (n) {
		while (n->right)
			n = n->right;
		return n;
	}
	for (n = node->parent; n && n->left == node; n = n->parent)
		node = n;
	return n;
}

struct rb_node *rb_last(const struct rb_tree *tree)
{
	struct rb_node *n = tree->root;

	while (n && n->right)
		n = n->right;
	return n;
}

/* Black height of the subtree, or -1 where it is no red-black tree; counts its nodes. */
static int check_subtree(const struct rb_node *node, const struct rb_node *parent, s64 *nr)
{
	int left, right;

	if (!node)
		return 0;
	++*nr;
	left = check_subtree(node->left, node, nr);
	right = check_subtree(node->right, node, nr);
	if (node->parent != parent || left < 0 || left != right)
		return -1;
	if (node->red && (is_red(node->left) || is_red(node->right)))
		return -1;
	return left + !node->red;
}

s64 rb_check(const struct rb_tree *tree)
{
	const struct rb_node *first = tree->root;
	s64 nr = 0;

	while (first && first->left)
		first = first->left;
	if (is_red(tree->root) || first != tree->leftmost)
		return -1;
	return check_subtree(tree->root, NULL, &nr) < 0 ? -1 : nr;
}
