/* SPDX-License-Identifier: MIT */
/* dist.c - lengths of time that are drawn anew for each use; whole numbers only. */
#include "work/dist.h"

#include "base/fixmath.h"

/* @sd times a standard normal draw. */
static s64 deviation(u64 sd, struct rng *rng) { return fix_mul((s64)min_u64(sd, DRAW_MOST), fix_normal(rng)); }

/* @median * e^(sigma * normal), sigma in 1/1000 and at most 30. */
static u64 lognormal(u64 median, u64 sigma, struct rng *rng)
{
	fix scale = (fix)min_u64(sigma, 30000) * (FIX_ONE / 1000);

	return fix_mul_exp(median, fix_mul(fix_normal(rng), scale));
}

static u64 played(const struct dist *d, struct draw *draw)
{
	u32 at = draw->next;

	if (!d->nr)
		return 0;
	draw->next = at + 1 == d->nr ? 0 : at + 1;
	return d->values[at];
}

static u64 draw_any(const struct dist *d, struct draw *draw)
{
	u64 mean = min_u64(d->a, DRAW_MOST);

	switch (d->kind) {
	case DIST_FIXED:
		return d->a;
	case DIST_UNIFORM:
		return d->b > d->a ? d->a + rng_below(&draw->rng, d->b - d->a + 1) : d->a;
	case DIST_EXPONENTIAL:
		return (u64)fix_mul((s64)mean, fix_exponential(&draw->rng));
	case DIST_NORMAL:
		return (u64)max_s64(0, (s64)mean + deviation(d->b, &draw->rng));
	case DIST_LOGNORMAL:
		return lognormal(mean, d->b, &draw->rng);
	case DIST_EMPIRICAL:
		return played(d, draw);
	}
	return 0;
}

u64 dist_draw(const struct dist *d, struct draw *draw) { return min_u64(draw_any(d, draw), DRAW_MOST); }
