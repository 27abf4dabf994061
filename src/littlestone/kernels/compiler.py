"""What kernels are made with: the compiler, or, in a process that has next to nothing to do, Python itself. See `interpreted.choose`."""

from typing import TYPE_CHECKING

from littlestone.kernels import interpreted

if TYPE_CHECKING or not interpreted.CHOSEN:
    from littlestone.kernels import compiled as chosen
else:
    chosen = interpreted

FEED = chosen.FEED
LANES = chosen.LANES
PROBES = chosen.PROBES
STOPS = chosen.STOPS
add_four = chosen.add_four
any_lane = chosen.any_lane
bits_of = chosen.bits_of
cache_folder = chosen.cache_folder
chosen_lanes = chosen.chosen_lanes
copied_row = chosen.copied_row
double_of = chosen.double_of
fma = chosen.fma
four_sums = chosen.four_sums
gathered = chosen.gathered
in_order = chosen.in_order
is_compiled = chosen.is_compiled
jit = chosen.jit
jit_apart = chosen.jit_apart
jit_lent = chosen.jit_lent
jit_lent_apart = chosen.jit_lent_apart
lane = chosen.lane
laned_counts = chosen.laned_counts
laned_given = chosen.laned_given
laned_losses = chosen.laned_losses
laned_shares = chosen.laned_shares
laned_sums = chosen.laned_sums
laned_votes = chosen.laned_votes
lanes_abs = chosen.lanes_abs
lanes_at = chosen.lanes_at
lanes_floor = chosen.lanes_floor
lanes_frexp = chosen.lanes_frexp
lanes_max = chosen.lanes_max
lanes_power = chosen.lanes_power
lanes_sqrt = chosen.lanes_sqrt
load8 = chosen.load8
nondigits = chosen.nondigits
places_of = chosen.places_of
popcount = chosen.popcount
prefetch = chosen.prefetch
prefetch_entry = chosen.prefetch_entry
probed = chosen.probed
scatter = chosen.scatter
stops = chosen.stops
store8 = chosen.store8
trailing_zeros = chosen.trailing_zeros
