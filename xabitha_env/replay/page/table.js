/* Cards. */

function cardPicture(card, isNew) {
  const use = draw("use", { href: `#card-${card}` });
  const classes = isNew ? "card new" : "card";
  return draw("svg", { class: classes, viewBox: "0 0 100 140", "data-card": card }, use);
}

function newCards(cards, before) {
  const left = [...before];
  return cards.map((card) => {
    const place = left.indexOf(card);
    if (place >= 0) left.splice(place, 1);
    return place < 0;
  });
}

function cardRow(cards, hidden, before) {
  const parts = [`${cards.length + hidden} cards`, ...cards.map(cardName)];
  if (cards.length && hidden) parts.push(`${hidden} face down`);
  const row = make("div", { class: "cards", role: "img", "aria-label": parts.join(", ") });
  if (!cards.length) row.classList.add("backs");
  const fresh = before ? newCards(cards, before) : [];
  for (let back = 0; back < hidden; back += 1) row.append(cardPicture("back", false));
  cards.forEach((card, place) => row.append(cardPicture(card, fresh[place] || false)));
  return row;
}

function cardsOfMove(move) {
  const named = move.slice(move.indexOf(":") + 1).split("@")[0].split("-");
  return named.filter((card) => byId(`card-${card}`));
}

/* The table. */

function showSeat(seat) {
  const table = tables[view.index];
  const part = byId(`seat-${seat}`);
  const acts = table.actor === seat;
  part.classList.toggle("acts", acts);
  part.querySelector(".turn").textContent = acts ? "▶ " : "";
  part.querySelector(".status").textContent = table[`status ${seat}`];
  const hidden = view.hidden.has(seat);
  part.querySelector(".secret").textContent = hidden ? "" : table[`secret ${seat}`];
  const hand = split(table[`hand ${seat}`]);
  const staged = table[`staged ${seat}`].map(split);
  const count = hand.length + staged.reduce((sum, meld) => sum + meld.length, 0);
  part.querySelector(".count").textContent = `${count} ${count === 1 ? "card" : "cards"}`;
  part.querySelector(".hand").replaceChildren(
    hidden ? cardRow([], count) : cardRow(hand, 0, handBefore(seat)));
  showStaged(part.querySelector(".staged"), hidden ? [] : staged);
}

function handBefore(seat) {
  const frame = frames[view.index];
  if (frame.event === 0) return null;
  return split(tables[view.index - 1][`hand ${seat}`]);
}

function showStaged(part, melds) {
  part.hidden = melds.length === 0;
  part.replaceChildren("staged:", ...melds.map((meld) => cardRow(meld, 0)));
}

function groups(table, pattern) {
  const names = Object.keys(table).filter((name) => pattern.test(name) && table[name]);
  names.sort((a, b) => Number(a.match(/\d+/)) - Number(b.match(/\d+/)));
  return names.map((name) => [name, table[name]]);
}

function before(name) {
  if (frames[view.index].event === 0) return null;
  const group = tables[view.index - 1][name];
  return group ? split(group[1]) : [];
}

function hasGrown(name) { // a card that was uncovered has not just come
  const count = (table) => (table[name] ? split(table[name][1]).length + table[name][2] : 0);
  return view.index > 0 && count(tables[view.index]) > count(tables[view.index - 1]);
}

function showPiles() {
  const piles = groups(tables[view.index], /^pile /);
  byId("piles").replaceChildren(...piles.map(([name, group]) => pilePart(name, group)));
}

function pilePart(name, [title, cards, hidden, note]) {
  const shown = split(cards);
  const backs = Math.min(hidden, shown.length ? 2 : 5);
  const row = cardRow(shown, backs, hasGrown(name) ? before(name) : null);
  row.setAttribute("aria-label", shown.map(cardName).join(", ") || "face down");
  if (backs) row.classList.add("backs");
  if (!shown.length && !hidden) row.append(make("div", { class: "empty" }));
  const text = `${title} (${shown.length + hidden})${note ? " " + note : ""}`;
  return make("div", { class: "pile" }, make("p", {}, text), row);
}

function showMelds() {
  const melds = groups(tables[view.index], /^meld /);
  byId("melds").replaceChildren(...melds.map(([name, [title, cards]]) =>
    make("div", { class: "meld" }, make("p", {}, title), cardRow(split(cards), 0, before(name)))));
}

/* The event, the scores, the legal moves. */

function showEvent() {
  const frame = frames[view.index];
  const { move, words } = told(frame);
  byId("place").textContent = tables[view.index].place;
  byId("number").textContent = `· event ${frame.round}:${frame.event}`;
  byId("event").textContent = words;
  byId("move").textContent = move;
  const cards = cardsOfMove(move);
  byId("event-cards").replaceChildren(...(cards.length ? [cardRow(cards, 0)] : []));
  byId("marks").replaceChildren(...marksOf(frame).map((mark) =>
    make("span", { class: "mark" }, `${MARK_SIGNS[mark]} ${mark}`)));
  byId("swing").textContent = view.hidden.size ? "" : swingText(frame);
  byId("doing").textContent = tables[view.index].doing;
  byId("news").textContent = tables[view.index].news;
}

function showScores() {
  const frame = frames[view.index];
  const open = view.hidden.size === 0;
  const others = tables[view.index].scores.slice(1);
  const titles = ["Team", data.counted, ...others.map(([name]) => name), "round stands at", "together"];
  const rows = TEAMS.map((team) => {
    const stands = open ? [frame.standing[team], frame.totals[team] + frame.standing[team]] : ["–", "–"];
    const names = `${team}: ${data.agents[team]} + ${data.agents[team + 2]}`;
    return [names, frame.totals[team], ...others.map((score) => score[team + 1]), ...stands];
  });
  const head = make("tr", {}, ...titles.map((title) => make("th", { scope: "col" }, title)));
  byId("scores").replaceChildren(make("thead", {}, head), make("tbody", {}, ...rows.map((cells) =>
    make("tr", {}, ...cells.map((cell) => make("td", {}, String(cell)))))));
}

function showLegal() {
  const frame = frames[view.index];
  byId("legal-part").hidden = !frames.some((other) => other.legal);
  const list = isHidden(frame) ? [] : frame.legal || [];
  byId("legal").replaceChildren(...list.map((number) => {
    const move = data.moves[number];
    const made = move === frame.move;
    return make("li", made ? { class: "made" } : {}, made ? `✓ ${move}` : move);
  }));
  if (frame.seat !== undefined && isHidden(frame)) {
    byId("legal").append(make("li", {}, `hidden with the hand of seat ${frame.seat}`));
  }
}
