"""The model card of a policy, from what its run wrote down."""

from __future__ import annotations

from typing import Any

TEXT = """# Policy for {title}

A policy network of {parameters:,} weights that plays all four seats of {title}, one decision at a
time, by what its seat sees. It plays each round for its points, whatever the state of the match.
`learned` is its name in every command.

## Training

    {command}

| | |
| --- | --- |
| method | {method} |
| decisions of the policy in self-play | {decisions:,} |
| decisions with known worth before it | {imitated:,} |
| minutes, on {machine} | {minutes:,.0f} |
| seed | {seed} |
| kept | the policy after update {update:,} of {updates:,}, by {dev_deals:,} development deals |
| rules | the defaults, hash `{rules_hash}` |
| versions | {versions} |

No data but the games themselves: the deals of training have seeds of their own, apart from those of
measurements. In training a critic sees all cards; the policy never does.

## Results

Points a round of a team of it, {test_deals:,} mirrored test deals that nothing was chosen by:

| against | points a round | 95% interval | rounds won |
| --- | ---: | ---: | ---: |
{rows}

## Limits

- It is told what `expert` would do and what that thinks of cards, among what it sees; it is no
  judge of `expert`'s strength by other means.
- It learnt by the default rules. Under others it plays legally, as well as what it learnt fits.
- It does not play for the match: a team that is far behind takes no risks for it.
"""
ROW = "| {name} | {margin:+.1f} | {low:+.1f} to {high:+.1f} | {won:.1%} |"


def card(info: dict[str, Any], parameters: int, command: str, machine: str) -> str:
    """Return the card.

    Args:
        info: what ``results.json`` holds.
        parameters: of the policy.
        command: what made it.
        machine: what it was made on.
    """
    args = info["arguments"]
    parts = [name for name, on in (("a critic that sees all cards", args["privileged"]),) if on]
    parts += [f"opponents {args['opponents']}"]
    parts += [name for name, on in (("suits renamed at random", args["augment"]),) if on]
    imitation = "values from the expert, then " if args["value_chunks"] else ""
    if args["start"]:
        imitation = f"from {args['start']} on, "
    rows = [ROW.format(name=name, **one) for name, one in info["test"].items()]
    return TEXT.format(
        title=args["game"].capitalize(),
        parameters=parameters,
        command=command,
        method=f"{imitation}self-play PPO; {', '.join(parts)}",
        imitated=0 if args["start"] else args["chunk"] * args["value_chunks"],
        decisions=info["decisions"],
        machine=machine,
        minutes=info["minutes"],
        seed=args["seed"],
        update=info["update"],
        updates=args["updates"],
        dev_deals=args["dev_deals"],
        rules_hash=info["rules_hash"],
        versions=", ".join(f"{name} {one}" for name, one in info["versions"].items()),
        test_deals=args["test_deals"],
        rows="\n".join(rows),
    )
