"""Compiling loops, so that Ctrl-C is one KeyboardInterrupt while they are compiled and called.

Python calls the handler of a signal in the main thread, in the next Python code that it runs. Where
that code is part of a call into numba or LLVM, the KeyboardInterrupt is lost (LLVM calls Python to
load what was compiled before), leaves numba's tables half filled, or comes out as a SystemError
(numba runs Python to hand an array back, and does not look whether that failed). So loops are
compiled in another thread, while the main one waits and can hear; and they return no arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import current_thread, main_thread
from typing import Any

from .resources import run_apart


def njit(*, lanes: bool = False, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return numba's decorator of this name, with these options, for loops that hear Ctrl-C.

    Parameters
    ----------
    lanes : bool, default=False
        Whether statements that do the same to neighbouring entries become one instruction. Numba
        leaves LLVM's pass for it (SLP) out, and can be told otherwise for all loops only.
    **options : object
        Options of ``numba.njit``.

    Returns
    -------
    callable
        The decorator. What Python calls must not return arrays: it is given those to fill.

    Examples
    --------
    >>> from unspool.runtime.compiling import njit
    >>> @njit(nogil=True)
    ... def double(number):
    ...     return 2 * number
    >>> double(3)
    6
    """
    import numba

    def decorate(function: Callable[..., Any]) -> Any:
        loop = numba.njit(**options)(function)
        compile_here = getattr(loop, "_compile_for_args", None)
        if compile_here is not None:  # there is none where NUMBA_DISABLE_JIT is set
            # numba looks for it at the first call with arguments of new types, and only then
            compile_so = _with_lanes(compile_here) if lanes else compile_here
            loop._compile_for_args = lambda *given: _compile(loop, compile_so, given)
        return loop

    return decorate


def _with_lanes(compile_here: Callable[..., Any]) -> Callable[..., Any]:
    """Return the compiler with LLVM's pass that joins neighbouring statements."""
    import numba

    config: Any = numba.config

    def compile_so(*given: Any) -> Any:
        before = config.SLP_VECTORIZE
        config.SLP_VECTORIZE = 1
        try:
            return compile_here(*given)
        finally:
            config.SLP_VECTORIZE = before

    return compile_so


def _compile(loop: Any, compile_here: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    """Return the machine code for these arguments, made in a thread that no signal reaches."""
    if current_thread() is main_thread():
        made = run_apart(lambda: compile_here(*given), is_finished=True)
    else:
        made = compile_here(*given)
    if any("array(" in str(signature.return_type) for signature in loop.nopython_signatures):
        raise TypeError(f"{loop.__name__} must fill an array that it is given, and return none")
    return made
