/* Places the entries of messages that are sent from several places. */
#include "config.h"
#include "traffic/gather.h"

#include "base/numbers.h"

struct gather gather_of(uint64_t size, uint32_t entries)
{
	return (struct gather){
		.size = size,
		.n = (uint32_t)larger(smaller(entries, size), 1),
	};
}

uint64_t gather_length(const struct gather *g, uint32_t i)
{
	return g->size / g->n + (i < g->size % g->n);
}

uint64_t gather_step(const struct gather *g)
{
	return round_up(gather_length(g, 0), CACHE_LINE);
}

uint64_t gather_place(const struct gather *g, uint64_t offset)
{
	uint32_t i = 0;

	while (i + 1 < g->n && offset >= gather_length(g, i))
		offset -= gather_length(g, i++);
	return i * gather_step(g) + offset;
}

uint64_t gather_extent(const struct gather *g)
{
	return (g->n - 1) * gather_step(g) + gather_length(g, g->n - 1);
}

uint64_t gather_span(const struct gather *g)
{
	return round_up(larger(gather_extent(g), 1), CACHE_LINE);
}

void gather_fill(const struct gather *g, uint64_t address, uint32_t lkey,
		 struct ibv_sge *list)
{
	for (uint32_t i = 0; i < g->n; i++)
		list[i] = (struct ibv_sge){
			.addr = address + i * gather_step(g),
			.length = (uint32_t)gather_length(g, i),
			.lkey = lkey,
		};
}
