"""Kernels that other kernels call: LLVM sees them once, within the code of the kernel that Python calls.

Numba makes of each function that it meets a whole: it optimises the function with all that it calls, wraps it for
Python and for C, and writes machine code.  A kernel that another one calls has no use for that: its caller's code
contains a copy, which is optimised anew.  So here a kernel that is compiled within another is kept as it was written,
and becomes machine code in the kernel that Python calls.  If Python calls it later, it is compiled as a whole.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.sigutils import normalize_signature
from numba.core.targetconfig import ConfigStack
from numba.core.types.misc import unliteral


class InnerCode(JITCodeLibrary):  # type: ignore[misc]
    """The code of a kernel that other kernels call: instructions of LLVM, which are linked into those of the caller."""

    def finalize(self) -> None:
        """Link the code of the kernels that this one calls; nothing is optimised or made ready to run."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            if hasattr(library, "_reload_init"):  # the lowest version of Numba has none
                self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True


class _Pipeline(Compiler):  # type: ignore[misc]
    """Numba's compiler, which ends at the instructions of LLVM for a kernel that another one calls."""

    def __init__(self, typingctx: Any, targetctx: Any, library: Any, *rest: Any) -> None:
        _, _, flags, _ = rest  # between types of arguments and result, and types of variables
        flags.no_cfunc_wrapper = True
        if _is_within():
            flags.no_cpython_wrapper = flags.no_compile = True
            library = InnerCode(targetctx.codegen(), "inner")
        super().__init__(typingctx, targetctx, library, *rest)


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """A compiled function.

    Parameters
    ----------
    py_func : the function as it is written.
    variables, targetoptions, pipeline_class : see Numba's dispatcher.
    """

    def __init__(
        self, py_func: Any, variables: Any = None, targetoptions: Any = None, pipeline_class: Any = _Pipeline
    ) -> None:
        super().__init__(py_func, variables, targetoptions, pipeline_class)

    def compile(self, sig: Any) -> Any:
        """Return the entry point for a signature, which is compiled if it was not, or only within another one."""
        with global_compiler_lock, _collection_paused():
            known = self.overloads.get(tuple(normalize_signature(sig)[0]))
            if known is not None and isinstance(known.library, InnerCode) and not _is_within():
                del self.overloads[tuple(known.signature.args)]
            return super().compile(sig)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Do as Numba's dispatcher, but a constant is a number like any other: it compiles no version of its own."""
        return super().get_call_template(
            tuple(unliteral(one) for one in args), {name: unliteral(one) for name, one in kws.items()}
        )

    def add_overload(self, cres: CompileResult) -> None:
        """Take the code for a signature: from callers alone if it is inner code, else from Python too."""
        if isinstance(cres.library, InnerCode):
            # Callers find the code by the entry point, which need not be one.
            cres = cres._replace(entry_point=cres.fndesc)
            cres.target_context.insert_user_function(cres.fndesc, cres.fndesc, [cres.library])
            self.overloads[tuple(cres.signature.args)] = cres
            return
        # The inner code first becomes machine code here, so that its environments have their places only now.
        environments = cres._find_referenced_environments()
        for environment in environments:
            cres.codegen.set_env(environment.env_name, environment)
        kept = (*(cres.referenced_envs or ()), *environments)  # as long as the machine code that points to them
        super().add_overload(cres._replace(referenced_envs=kept))


def _is_within() -> bool:
    """Return whether this thread compiles the code of a `Kernel` now, which is known by having no wrapper for C."""
    flags = ConfigStack.top_or_none()
    return flags is not None and bool(flags.no_cfunc_wrapper)


@contextmanager
def _collection_paused() -> Iterator[None]:
    """Keep Python from looking for unreachable objects, which takes a seventh of the time of a compilation."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
