"""What kernels are made with: the compiler, or, in a process that has next to nothing to do, Python itself. See `interpreted.choose`."""

from typing import TYPE_CHECKING

from littlestone.kernels import interpreted

if TYPE_CHECKING or not interpreted.CHOSEN:
    from littlestone.kernels import compiled as chosen
else:
    chosen = interpreted

FEED = chosen.FEED
LANES = chosen.LANES
ROW_INDICES = chosen.ROW_INDICES
ROW_VALUES = chosen.ROW_VALUES
STOPS = chosen.STOPS
Chain = chosen.Chain
add_methods = chosen.add_methods
add_rows = chosen.add_rows
are_chainable = chosen.are_chainable
bits_of = chosen.bits_of
cache_folder = chosen.cache_folder
call_table = chosen.call_table
columns_at = chosen.columns_at
copied_row = chosen.copied_row
double_of = chosen.double_of
fma = chosen.fma
held = chosen.held
is_compiled = chosen.is_compiled
item_of = chosen.item_of
jit = chosen.jit
jit_apart = chosen.jit_apart
jit_held = chosen.jit_held
jit_lent = chosen.jit_lent
jit_lent_apart = chosen.jit_lent_apart
laned_losses = chosen.laned_losses
laned_sums = chosen.laned_sums
laned_votes = chosen.laned_votes
load8 = chosen.load8
next_item = chosen.next_item
nondigits = chosen.nondigits
numbers_at = chosen.numbers_at
popcount = chosen.popcount
prefetch = chosen.prefetch
put_item = chosen.put_item
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
