"""A kit by which agents and engines of others are checked against the rules and the interfaces."""

from xabitha_env.conformance.agent import check_agent
from xabitha_env.conformance.engine import check_engine
from xabitha_env.conformance.environment import check_environment
from xabitha_env.conformance.records import check_records, tasks
from xabitha_env.conformance.report import Finding
from xabitha_env.conformance.samples import sample_records, with_legal

__all__ = [
    "Finding",
    "check_agent",
    "check_engine",
    "check_environment",
    "check_records",
    "sample_records",
    "tasks",
    "with_legal",
]
