/* Jumps. */

function jumpLink(index, text) {
  const frame = frames[index];
  const link = make("a", { href: hashOf(frame) }, `${frame.round}:${frame.event}  ${text}`);
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // for another tab or window
    event.preventDefault();
    pause();
    go(index);
  });
  return make("li", {}, link);
}

function jumpPart(title, links, id) {
  const part = make("details", { id }, make("summary", {}, `${title} (${links.length})`));
  part.append(links.length ? make("ul", {}, ...links) : make("p", {}, "none in this match"));
  return part;
}

function buildJumps() {
  const parts = Object.entries(data.jumps).map(([mark, indices]) => jumpPart(
    `${MARK_SIGNS[mark]} ${mark}s`, indices.map((index) => jumpLink(index, frames[index].words)),
    `jump-${mark}`));
  parts.push(jumpPart("↕ largest swings", data.swings.map((index) =>
    jumpLink(index, `${swingText(frames[index])}: ${frames[index].words}`)), "jump-swing"));
  const rounds = frames.flatMap((frame, index) => (frame.event === 0 ? [index] : []));
  parts.push(jumpPart("rounds", rounds.map((index) => jumpLink(index, frames[index].words)), "jump-round"));
  const first = parts.find((part) => part.querySelector("a"));
  if (first) first.open = true;
  byId("jumps").append(...parts);
}

function showJumps() {
  byId("jump-swing").hidden = view.hidden.size > 0;
  const here = hashOf(frames[view.index]);
  for (const link of byId("jumps").querySelectorAll("a")) {
    if (link.hash === here) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

/* Going through the match. */

function show() {
  SEATS.forEach(showSeat);
  for (const part of [showPiles, showMelds, showEvent, showScores, showLegal, showChart, showJumps]) part();
  byId("slider").value = view.index;
  byId("slider").setAttribute("aria-valuetext", `round ${frames[view.index].round}, event ${frames[view.index].event}`);
}

function go(index) {
  const place = Math.min(Math.max(index, 0), frames.length - 1);
  if (place === view.index) return;
  view.index = place;
  show();
  clearTimeout(view.address);
  view.address = setTimeout(writeAddress, ADDRESS_DELAY);
}

function writeAddress() {
  history.replaceState(null, "", hashOf(frames[view.index]));
}

function readAddress() {
  const index = indexOf.get(location.hash);
  if (index === undefined) return;
  clearTimeout(view.address);
  pause();
  view.index = index;
  show();
}

function goRound(step) {
  const starts = frames.flatMap((frame, index) => (frame.event === 0 ? [index] : []));
  const next = step > 0
    ? starts.find((start) => start > view.index)
    : starts.findLast((start) => start < view.index);
  if (next !== undefined) go(next);
  else go(step > 0 ? frames.length - 1 : 0);
}

function pause() {
  clearInterval(view.timer);
  view.timer = null;
  showPlaying();
}

function play() {
  if (view.index === frames.length - 1) go(0);
  clearInterval(view.timer);
  view.timer = setInterval(tick, 1000 / Number(byId("speed").value));
  showPlaying();
}

function tick() {
  go(view.index + 1);
  if (view.index === frames.length - 1) pause();
}

function showPlaying() {
  byId("play").textContent = view.timer ? "Pause" : "Play";
  byId("play").setAttribute("aria-pressed", view.timer ? "true" : "false");
}

function stop(action) {
  return () => {
    pause();
    action();
  };
}

const ACTIONS = {
  first: stop(() => go(0)),
  "back-round": stop(() => goRound(-1)),
  back: stop(() => go(view.index - 1)),
  play: () => (view.timer ? pause() : play()),
  step: stop(() => go(view.index + 1)),
  "next-round": stop(() => goRound(1)),
  last: stop(() => go(frames.length - 1)),
};
const KEYS = {
  ArrowLeft: "back", ArrowRight: "step", " ": "play", Home: "first", End: "last",
  PageUp: "back-round", PageDown: "next-round",
};

function onKey(event) {
  const action = KEYS[event.key];
  const own = event.target.closest("select, input[type=range]");
  const pressed = event.key === " " && event.target.closest("button, input, summary, a");
  if (!action || own || pressed || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  ACTIONS[action]();
}

/* Building the page. */

function buildSeat(seat) {
  const box = make("input", { type: "checkbox", id: `open-${seat}` });
  box.checked = true;
  box.addEventListener("change", () => {
    if (box.checked) view.hidden.delete(seat);
    else view.hidden.add(seat);
    show();
  });
  const span = (name) => make("span", { class: name });
  byId(`seat-${seat}`).append(
    make("h3", {}, span("turn"), `Seat ${seat} · ${data.agents[seat]}`),
    make("div", { class: "line" }, `team ${seat % 2}`, span("count"), span("status"), span("secret"),
      make("label", {}, box, " hand open")),
    make("div", { class: "hand" }),
    make("div", { class: "staged" }));
}

function buildHeading() {
  const teams = TEAMS.map((team) => `${data.agents[team]} + ${data.agents[team + 2]}`);
  byId("players").textContent = `Team 0: ${teams[0]} (seats 0 and 2) against team 1: ${teams[1]} (seats 1 and 3)`
    + (data.seed === null ? "" : `; seed ${data.seed}`);
  byId("result").textContent = data.result ? `Result: ${data.result}` : "The match was cut off.";
}

function start() {
  buildHeading();
  SEATS.forEach(buildSeat);
  buildChart();
  buildJumps();
  byId("slider").max = frames.length - 1;
  byId("slider").addEventListener("input", () => stop(() => go(Number(byId("slider").value)))());
  byId("speed").addEventListener("change", () => view.timer && play());
  for (const [id, action] of Object.entries(ACTIONS)) byId(id).addEventListener("click", action);
  document.addEventListener("keydown", onKey);
  window.addEventListener("hashchange", readAddress);
  show();
  readAddress();
}

start();
