"""Every exception of the package. All derive from :class:`Error` and keep a code.

Codes do not change their meaning; messages may be worded better some day.
"""

from __future__ import annotations

__all__ = [
    "ArgumentError",
    "DeltaError",
    "Error",
    "InputError",
    "InternalError",
    "JudgeError",
    "PlaceError",
    "RunError",
    "StaleError",
    "TimingError",
    "VerifyError",
]


class Error(Exception):
    """Something went wrong; ``code`` says what, for programs.

    ``file`` and ``line`` say where, when an input file is to blame (``line`` is ``None`` when the
    whole file is). ``exit_code`` is what the command line would exit with, where it has one.
    """

    code: str
    file: str | None
    line: int | None
    exit_code: int | None

    def __init__(
        self,
        message: str = "",
        *,
        code: str = "error",
        file: str | None = None,
        line: int | None = None,
        exit_code: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.file = file
        self.line = line
        self.exit_code = exit_code

    def __reduce__(self) -> tuple[object, ...]:
        # Keyword-only fields go along when an error crosses processes.
        state = {k: self.__dict__[k] for k in ("code", "file", "line", "exit_code")}
        return (type(self), (str(self),), state)


class ArgumentError(Error, ValueError):
    """An argument does not fit. Codes: ``argument``, ``json``, ``schema``, ``invalid``, ``too-large``."""


class InputError(Error):
    """A file cannot be used. Codes: ``unreadable``, ``unwritable``, ``input``, or a reader's own."""


class DeltaError(Error, ValueError):
    """A change does not apply; nothing has changed.

    Codes: ``missing``, ``untouchable``, ``precondition``, ``other-pins``, ``no-master``,
    ``name-taken``, ``slot-taken``, ``still-connected``, ``refused``, ``range``, ``twice``,
    ``netlist``.
    """


class StaleError(Error):
    """An engine does not stand where the change starts (code ``stale``)."""


class TimingError(Error):
    """Timing is not to be had. Codes: ``untimed``, ``timing``."""


class PlaceError(Error):
    """A design cannot be placed.

    Codes: ``no-rows``, ``no-row-for``, ``too-full``, ``fragmented``, ``macro-does-not-fit``,
    ``not-legal``, ``setting``, ``cancelled``.
    """


class JudgeError(Error):
    """The judge cannot work. Codes: ``archive``, ``objective``, ``not-found``, ``stale``,
    ``invalid``, ``budget``, ``unsupported``, ``internal``. A rejected proposal is no error."""


class RunError(Error):
    """A run cannot be made or replayed. Codes: ``over``, ``no-snapshot``, ``interrupted``,
    ``journal``, ``unreadable``, ``conflict``, ``lost``, ``forked``, ``input``."""


class VerifyError(Error):
    """A certificate does not hold.

    Codes are those of the command ``cellwright verify``: ``SIGNATURE_INVALID`` (exit code 20),
    ``UNTRUSTED_KEY`` (21), ``SCHEMA_INVALID`` (22), ``INPUT_CHANGED`` (23), ``DELTA_MISMATCH`` (24),
    ``PHYSICS_DISAGREES`` (25), ``CHAIN_BROKEN`` (26), ``INCOMPLETE`` (27), or ``input`` (2).
    """


class InternalError(Error):
    """A fault of the package itself (code ``internal``); please report it."""
