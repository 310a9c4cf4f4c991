"use strict";

/* The page's own words: a file a language (en.json, zh.json). `{name}` stands for a value. */

const data = JSON.parse(document.getElementById("data").textContent);

const words = {
  language: "en",

  /** The text of a key with its values put in. */
  say(key, values = {}) {
    const text = data.words[this.language][key];
    return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
  },

  /** The text of a key that exists for some words only (a stage, a decision); other words stay as they are. */
  call(kind, word) {
    return data.words[this.language][`${kind}-${word}`] ?? word;
  },

  /** Put the words of the current language wherever the document asks for them. */
  spread() {
    document.documentElement.lang = this.language;
    for (const node of document.querySelectorAll("[data-word]")) node.textContent = this.say(node.dataset.word);
    for (const node of document.querySelectorAll("[data-word-label]")) node.setAttribute("aria-label", this.say(node.dataset.wordLabel));
  },
};

const MINUTE = 60, HOUR = 3600, DAY = 86400;

/** A length of time in its largest unit, as `3 d`. */
function sayLength(seconds) {
  if (seconds === null) return words.say("unknown");
  for (const [unit, size] of [["days", DAY], ["hours", HOUR], ["minutes", MINUTE]]) {
    if (seconds >= size) return words.say(unit, { n: Math.floor(seconds / size) });
  }
  return words.say("seconds", { n: Math.max(0, Math.floor(seconds)) });
}

/** A moment in UTC to the minute, or to the day. */
function sayTime(seconds, dayOnly = false) {
  if (seconds === null) return words.say("unknown");
  const text = new Date(seconds * 1000).toISOString();
  return dayOnly ? text.slice(0, 10) : `${text.slice(0, 16).replace("T", " ")} UTC`;
}
