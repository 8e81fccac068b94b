/* SPDX-License-Identifier: MIT */
/*
 * yaml_lite.h - as much of YAML as Kubernetes manifests are written in, into the tree of text/json.h.
 *
 *	containers:			object
 *	- name: web			  "containers" list of objects, every scalar a string,
 *	  resources: { limits: {} }	  every node with its line and column
 *
 * Read: documents (---), nested mappings and lists, comments, plain, quoted and block scalars (|, >), flow style ({}, []).
 * Refused, each with what to do instead: tabs that indent, anchors and aliases, tags, keys that are no scalar, directives,
 * Helm templates, keys that stand twice, nesting deeper than JSON_MOST_DEPTH.
 */
#ifndef INPUT_YAML_LITE_H
#define INPUT_YAML_LITE_H

#include "text/json.h"

/*
 * The documents in the @len bytes at @text as a list, or NULL with @err set.  An empty value is JSON_NULL, any other scalar
 * JSON_STRING.  @file is only for the error.
 */
struct json *yaml_lite_parse(const char *file, const char *text, size_t len, struct arena *mem, struct err *err);

#endif
