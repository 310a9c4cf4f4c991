"""What the operating system's refusals mean for somebody who moves an envelope: one sentence each, and what to do."""

from __future__ import annotations

import errno
from typing import NamedTuple

from fcoplint.atomic import LeftBehindError
from fcoplint.outcome import Refusal

_NO_LINKS = (errno.EMLINK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)


class _Trouble(NamedTuple):
    reason: str
    sentence: str
    advice: str


_TROUBLES = {
    errno.ENOSPC: _Trouble("no-space", "the disk is full", "make room on it, then run this again"),
    errno.EDQUOT: _Trouble("no-quota", "your disk quota is used up", "free some of it, or ask for more, then run this again"),
    errno.EIO: _Trouble("disk-error", "the disk reported an error", "look at the disk before anything else is written to it"),
    errno.EXDEV: _Trouble(
        "other-device",
        "source and destination lie on different file systems, where no move is one step",
        "put the whole workspace on one mount; fcoplint never copies and deletes instead",
    ),
    errno.EROFS: _Trouble("read-only", "the file system is mounted read-only", "mount it for writing, then run this again"),
    errno.EACCES: _Trouble("no-permission", "you may not write there", "look at the permissions of the folder and its owner"),
    errno.EPERM: _Trouble(
        "not-permitted", "the system does not permit it", "look at the owner and the attributes of the file (immutable?)"
    ),
    errno.EBUSY: _Trouble("in-use", "another program holds the file", "close what has it open, then run this again"),
    errno.ENAMETOOLONG: _Trouble("name-too-long", "the name is too long for this file system", "choose a shorter slug"),
    errno.ENOENT: _Trouble("vanished", "a file or folder that was there a moment ago is gone", "run this again"),
    **dict.fromkeys(
        _NO_LINKS,
        _Trouble(
            "no-links",
            "this file system cannot link files, so that a move in one step is unproved here",
            "keep the workspace on a local file system (ext4, xfs, btrfs, APFS, NTFS)",
        ),
    ),
}


def explain(error: OSError) -> tuple[str, str, str]:
    """(word, sentence, advice) for an error of the operating system."""
    return _TROUBLES.get(error.errno or 0, _Trouble("disk-refused", error.strerror or str(error), "put that right, then run this again"))


def refusal(error: OSError, path: str) -> Refusal:
    """The refusal because the system said no before anything had changed; a temporary that could not be removed is named."""
    reason, sentence, advice = explain(error)
    message = f"nothing has changed: {sentence} ({path})"
    if not isinstance(error, LeftBehindError):
        return Refusal(reason, message, (advice,))
    left = f"a temporary could not be removed either: {error.leftover}"
    return Refusal(reason, message, (advice, left), ("fcoplint", "recover", "--apply"))


def while_looking(error: OSError) -> Refusal:
    """The refusal because something could not be looked at, or vanished meanwhile, before anything was to be changed."""
    path = error.filename if isinstance(error.filename, str) else "a file"
    if isinstance(error, FileNotFoundError):
        return Refusal("changed", f"{path} is gone; somebody else was faster, nothing has changed", (path,), ("fcoplint", "status"))
    return refusal(error, path)
