"""The report: a comparison as one self-contained page that opens anywhere, also on paper."""

from .write import python_code, shell_command, write_report

__all__ = [
    "python_code",
    "shell_command",
    "write_report",
]
