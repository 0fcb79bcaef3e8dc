"use strict";

const SVG = "http://www.w3.org/2000/svg";
const SEATS = [0, 1, 2, 3];
const TEAMS = [0, 1];
const MARK_SIGNS = {
  opening: "▲", steal: "⇄", formation: "★", declaration: "✎", undo: "↶",
  reshuffle: "↻", capture: "▼", xeri: "✦", "round end": "■",
};
const SUITS = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
const RANKS = { A: "ace", T: "10", J: "jack", Q: "queen", K: "king" };
const ADDRESS_DELAY = 200; // milliseconds; browsers refuse to change an address very often
const CHART = { width: 800, height: 240, left: 44, right: 92, top: 24, bottom: 18 };

const data = JSON.parse(document.getElementById("data").textContent);
const frames = data.frames;
const tables = buildTables();
const indexOf = new Map(frames.map((frame, index) => [hashOf(frame), index]));
const view = { index: 0, hidden: new Set(), timer: null, address: null };

function buildTables() {
  let table = {};
  return frames.map((frame) => (table = { ...table, ...frame.changed }));
}

function hashOf(frame) {
  return `#r${frame.round}e${frame.event}`;
}

/* Small helpers: all text goes into text nodes, never into markup. */

function byId(id) {
  return document.getElementById(id);
}

function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function draw(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function split(cards) {
  return cards ? cards.split(" ") : [];
}

function cardName(card) {
  if (card === "JK") return "joker";
  return `${RANKS[card[0]] || card[0]} of ${SUITS[card[1]]}`;
}

function isHidden(frame) {
  return frame.seat !== undefined && view.hidden.has(frame.seat);
}

/* What a frame says to who looks: a hidden hand takes its secrets along. */

function told(frame) {
  if (frame.public && isHidden(frame)) return { move: frame.public[0], words: frame.public[1] };
  return { move: frame.move || "", words: frame.words };
}

function marksOf(frame) {
  return (isHidden(frame) ? frame.openMarks : frame.marks) || [];
}

function swingText(frame) {
  if (!frame.swing) return "";
  return `swing of ${Math.abs(frame.swing)} for team ${frame.swing > 0 ? 0 : 1}`;
}
