"""What kernels are made with: the compiler, or, in a process that has next to nothing to do, Python itself. See `interpreted.choose`."""

from littlestone.kernels import interpreted

if interpreted.CHOSEN:
    from littlestone.kernels.interpreted import (
        FEED as FEED,
    )
    from littlestone.kernels.interpreted import (
        LANES as LANES,
    )
    from littlestone.kernels.interpreted import (
        STOPS as STOPS,
    )
    from littlestone.kernels.interpreted import (
        bits_of as bits_of,
    )
    from littlestone.kernels.interpreted import (
        cache_folder as cache_folder,
    )
    from littlestone.kernels.interpreted import (
        copied_row as copied_row,
    )
    from littlestone.kernels.interpreted import (
        double_of as double_of,
    )
    from littlestone.kernels.interpreted import (
        fma as fma,
    )
    from littlestone.kernels.interpreted import (
        is_compiled as is_compiled,
    )
    from littlestone.kernels.interpreted import (
        jit as jit,
    )
    from littlestone.kernels.interpreted import (
        jit_apart as jit_apart,
    )
    from littlestone.kernels.interpreted import (
        jit_lent as jit_lent,
    )
    from littlestone.kernels.interpreted import (
        jit_lent_apart as jit_lent_apart,
    )
    from littlestone.kernels.interpreted import (
        laned_sums as laned_sums,
    )
    from littlestone.kernels.interpreted import (
        load8 as load8,
    )
    from littlestone.kernels.interpreted import (
        popcount as popcount,
    )
    from littlestone.kernels.interpreted import (
        prefetch as prefetch,
    )
    from littlestone.kernels.interpreted import (
        stops as stops,
    )
    from littlestone.kernels.interpreted import (
        store8 as store8,
    )
    from littlestone.kernels.interpreted import (
        trailing_zeros as trailing_zeros,
    )
else:
    from littlestone.kernels.compiled import (
        FEED as FEED,
    )
    from littlestone.kernels.compiled import (
        LANES as LANES,
    )
    from littlestone.kernels.compiled import (
        STOPS as STOPS,
    )
    from littlestone.kernels.compiled import (
        bits_of as bits_of,
    )
    from littlestone.kernels.compiled import (
        cache_folder as cache_folder,
    )
    from littlestone.kernels.compiled import (
        copied_row as copied_row,
    )
    from littlestone.kernels.compiled import (
        double_of as double_of,
    )
    from littlestone.kernels.compiled import (
        fma as fma,
    )
    from littlestone.kernels.compiled import (
        is_compiled as is_compiled,
    )
    from littlestone.kernels.compiled import (
        jit as jit,
    )
    from littlestone.kernels.compiled import (
        jit_apart as jit_apart,
    )
    from littlestone.kernels.compiled import (
        jit_lent as jit_lent,
    )
    from littlestone.kernels.compiled import (
        jit_lent_apart as jit_lent_apart,
    )
    from littlestone.kernels.compiled import (
        laned_sums as laned_sums,
    )
    from littlestone.kernels.compiled import (
        load8 as load8,
    )
    from littlestone.kernels.compiled import (
        popcount as popcount,
    )
    from littlestone.kernels.compiled import (
        prefetch as prefetch,
    )
    from littlestone.kernels.compiled import (
        stops as stops,
    )
    from littlestone.kernels.compiled import (
        store8 as store8,
    )
    from littlestone.kernels.compiled import (
        trailing_zeros as trailing_zeros,
    )
