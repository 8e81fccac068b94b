/* SPDX-License-Identifier: MIT */
/*
 * series.h - counters of many containers, as cAdvisor names them, out of Prometheus text or CSV.
 *
 *	container_cpu_cfs_periods_total{namespace="shop",pod="web-1",container="web"} 723 1395066363000
 *
 *	name,namespace,pod,container,timestamp,value			CSV, one sample a line
 *	- series: 'container_cpu_cfs_periods_total{..}'			a test of Prometheus' rules (promtool)
 *	  values: '0+100x20'
 *
 *	time,"container_cpu_cfs_periods_total{pod=""web-1"",..}",...	CSV, one series a column
 *
 * Known names: container_cpu_cfs_periods_total, .._throttled_periods_total, .._throttled_seconds_total, .._burst_periods_total,
 * .._burst_seconds_total, container_cpu_usage_seconds_total (per CPU or not), container_spec_cpu_quota, container_spec_cpu_period.  All others
 * are passed over.  One sample of a counter counts from the container's start; of several the increase counts, resets left out.
 */
#ifndef METRICS_SERIES_H
#define METRICS_SERIES_H

#include "metrics/follow.h"

struct container {
	char *name;	    /* "shop/web-1/web" */
	struct facts facts; /* series_finish() */
	u64 samples, resets;
	bool since_start;   /* each counter was read once: it counts from the container's start */
	bool has_periods;
};

struct series_set {
	struct container *v;
	u32 nr, cap;
	struct one_series *series;
	u32 nr_series, cap_series;
	u32 *slots;	    /* hash of series */
	u32 nr_slots;
	u64 samples, passed_over, odd; /* odd: values that are no number (NaN, Inf) */
	double file_time;   /* given to samples without a time */
	bool failed;
};

/* An empty set, and the end of one with all its containers. */
void series_init(struct series_set *set);
void series_fini(struct series_set *set);

/* Add all samples of the @len bytes of @text; a further file counts as read later.  0, or -1 with @err set: file, line, what was expected. */
int series_read(struct series_set *set, const char *name, const char *text, size_t len, struct err *err);

/* Fill the facts of each container.  @wall: ns between two readings without times, or, of one
 * file, since the container's start; 0: not known.  0, or -1: nothing of it is there. */
int series_finish(struct series_set *set, const char *name, u64 wall, struct err *err);

/* For the readers of its forms (prometheus.c, csv.c): add one sample; @labels as in {a="b"} without braces.  @time in s, below 0: none. */
bool series_add(struct series_set *set, const char *metric, size_t metric_len, const char *labels, size_t labels_len, double time, const char *value,
		size_t value_len);
/* Is this a name that series_add() takes? */
bool series_knows(const char *metric, size_t len);

/* One form each, as series_read(), which finds out which it is. */
int prometheus_read(struct series_set *set, const char *name, const char *text, size_t len, struct err *err);
int promtool_read(struct series_set *set, const char *name, const char *text, size_t len, struct err *err);
bool is_promtool(const char *text, size_t len); /* has it input_series? */
int csv_read(struct series_set *set, const char *name, const char *text, size_t len, struct err *err);

#endif
