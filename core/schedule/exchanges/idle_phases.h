// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Phases in which nobody sends, such as one that all servers have for their own parts at the same time. They need no
// time on the network, but whoever follows the schedule waits for them.
//
//     one server on each of three leaves, phases as planned:   a->a b->b c->c | a->b b->c c->a | a->c b->a c->b
//                                     the schedule without the first:           a->b b->c c->a | a->c b->a c->b
#pragma once

#include "core/schedule/schedule.h"

namespace espalier {

// The others keep their order.
void drop_idle_phases(Schedule& schedule);

}  // namespace espalier
