# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Test hosts: several hosts on one machine, made of namespaces. `scripts/hosts` is the command, `hosts.Hosts` the class."""
from .hosts import Hosts  # noqa: F401 pylint: disable=unused-import
from .plan import HostsRefused, Plan  # noqa: F401 pylint: disable=unused-import
