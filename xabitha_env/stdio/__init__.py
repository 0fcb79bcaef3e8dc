"""A seat over lines of JSON: any program, in any language, as a player.

What a seat sees is a JSON object (`observe`), what is sent both ways is described by a JSON Schema
(`schema`), and `StdioAgent` is the player that asks a program.
"""

from xabitha_env.stdio.agent import StdioAgent
from xabitha_env.stdio.match import play_matches
from xabitha_env.stdio.messages import PROTOCOL, VERSION, schema
from xabitha_env.stdio.naming import load_program
from xabitha_env.stdio.observation import observe
from xabitha_env.stdio.program import Program, ProgramEnded, ProgramSilent
from xabitha_env.stdio.tally import Tally

__all__ = [
    "PROTOCOL",
    "VERSION",
    "Program",
    "ProgramEnded",
    "ProgramSilent",
    "StdioAgent",
    "Tally",
    "load_program",
    "observe",
    "play_matches",
    "schema",
]
