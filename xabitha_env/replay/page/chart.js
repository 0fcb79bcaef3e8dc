/* The chart. */

function chartScale() {
  const highest = frames.reduce((most, frame) =>
    Math.max(most, ...TEAMS.map((team) => frame.totals[team] + frame.standing[team])), 1);
  const across = CHART.width - CHART.left - CHART.right;
  const down = CHART.height - CHART.top - CHART.bottom;
  const last = Math.max(1, frames.length - 1);
  return {
    highest,
    x: (index) => CHART.left + (across * index) / last,
    y: (value) => CHART.top + down * (1 - value / highest),
    index: (x) => Math.round(((x - CHART.left) / across) * last),
  };
}

function line(scale, kind, team, value) {
  const points = frames.map((frame, index) =>
    `${scale.x(index).toFixed(1)},${scale.y(value(frame)).toFixed(1)}`);
  return draw("polyline", { class: `${kind} team-${team}`, points: points.join(" ") });
}

function axes(scale) {
  const parts = [0, 0.5, 1].map((part) => {
    const value = Math.round(scale.highest * part);
    const y = scale.y(value);
    const grid = draw("line", { class: "grid", x1: CHART.left, x2: CHART.width - CHART.right, y1: y, y2: y });
    return [grid, draw("text", { x: CHART.left - 6, y: y + 4, "text-anchor": "end" }, String(value))];
  });
  const rounds = frames.flatMap((frame, index) => (frame.event === 0 ? [[frame, index]] : []));
  const borders = rounds.map(([frame, index], place) => roundBorder(scale, frame, index, place, rounds));
  return [...parts.flat(), ...borders.flat()];
}

function roundBorder(scale, frame, index, place, rounds) {
  const x = scale.x(index);
  const bottom = CHART.height - CHART.bottom;
  const border = draw("line", { class: "grid", x1: x, x2: x, y1: CHART.top, y2: bottom });
  const next = place + 1 < rounds.length ? rounds[place + 1][1] : frames.length - 1;
  const wide = scale.x(next) - x;
  const title = wide > 100 ? `round ${frame.round}` : wide > 20 ? String(frame.round) : "";
  return [border, draw("text", { x: x + 4, y: 16 }, title)];
}

function lineNames(scale) {
  const last = frames[frames.length - 1];
  const ends = TEAMS.map((team) => scale.y(last.totals[team] + last.standing[team]) + 4);
  if (Math.abs(ends[0] - ends[1]) < 16) ends[ends[0] < ends[1] ? 1 : 0] += 16;
  return TEAMS.map((team) => draw("text",
    { class: `name name-${team}`, x: CHART.width - CHART.right + 6, y: ends[team] }, `team ${team}`));
}

function buildChart() {
  const scale = chartScale();
  const picture = draw("svg", {
    id: "chart-picture", viewBox: `0 0 ${CHART.width} ${CHART.height}`, role: "img",
    "aria-label": `Chart of ${data.counted} by team over the match; the table above has the numbers`,
  });
  picture.append(...axes(scale));
  for (const team of TEAMS) {
    picture.append(line(scale, "total", team, (frame) => frame.totals[team]));
    picture.append(line(scale, "forecast", team, (frame) => frame.totals[team] + frame.standing[team]));
  }
  picture.append(...lineNames(scale));
  picture.append(draw("line", { class: "cursor", id: "cursor", y1: CHART.top, y2: CHART.height - CHART.bottom }));
  picture.addEventListener("click", (event) => {
    pause();
    const box = picture.getBoundingClientRect();
    go(scale.index(((event.clientX - box.left) * CHART.width) / box.width));
  });
  byId("chart").append(picture);
  view.scale = scale;
}

function showChart() {
  const x = view.scale.x(view.index);
  byId("cursor").setAttribute("x1", x);
  byId("cursor").setAttribute("x2", x);
  const open = view.hidden.size === 0;
  for (const part of document.querySelectorAll(".forecast")) part.toggleAttribute("hidden", !open);
  byId("chart-key").textContent = open
    ? `Bold: ${data.counted} with what the round stands at; thin: ${data.counted} of finished rounds; team 1 dashed. Click to go there.`
    : `Lines: ${data.counted} of finished rounds; team 1 dashed. What a round stands at counts all hands, and is hidden with them.`;
}
