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
ROW_INDICES = chosen.ROW_INDICES
ROW_VALUES = chosen.ROW_VALUES
STOPS = chosen.STOPS
Chain = chosen.Chain
add_four = chosen.add_four
add_methods = chosen.add_methods
add_rows = chosen.add_rows
any_lane = chosen.any_lane
are_chainable = chosen.are_chainable
bits_of = chosen.bits_of
cache_folder = chosen.cache_folder
call_chain = chosen.call_chain
call_table = chosen.call_table
chosen_lanes = chosen.chosen_lanes
columns_at = chosen.columns_at
compare_texts = chosen.compare_texts
copied_row = chosen.copied_row
double_of = chosen.double_of
fma = chosen.fma
four_sums = chosen.four_sums
gathered = chosen.gathered
held = chosen.held
in_order = chosen.in_order
is_compiled = chosen.is_compiled
is_loaded = chosen.is_loaded
item_of = chosen.item_of
jit = chosen.jit
jit_apart = chosen.jit_apart
jit_held = chosen.jit_held
jit_lent = chosen.jit_lent
jit_lent_apart = chosen.jit_lent_apart
kind_of_part = chosen.kind_of_part
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
let_go = chosen.let_go
load8 = chosen.load8
narrow_rows = chosen.narrow_rows
next_item = chosen.next_item
nondigits = chosen.nondigits
numbers_at = chosen.numbers_at
places_of = chosen.places_of
popcount = chosen.popcount
prefetch = chosen.prefetch
prefetch_entry = chosen.prefetch_entry
probed = chosen.probed
put_item = chosen.put_item
scatter = chosen.scatter
sends_on = chosen.sends_on
stops = chosen.stops
store8 = chosen.store8
table_call = chosen.table_call
take_outer = chosen.take_outer
tells = chosen.tells
this_thread = chosen.this_thread
trailing_zeros = chosen.trailing_zeros
whole_number = chosen.whole_number
words_at = chosen.words_at
words_of = chosen.words_of
