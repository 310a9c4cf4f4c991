/* What the reader asked for: a text, a role, a stage, a severity, an age. */

const AGES = [["day", DAY], ["week", 7 * DAY], ["month", 30 * DAY]];

const filters = {
  text: "",
  role: "",
  stage: "",
  severity: "",
  age: "",

  /** Whether a TASK is asked for. Of severities, `clean` means without a finding. */
  wants(card) {
    return this.text.every((word) => card.words.includes(word))
      && (!this.severity || (this.severity === "clean" ? !card.worst : card.findings.some((finding) => finding.severity === this.severity)))
      && this.wantsHolder(card);
  },

  /** Whether a finding is asked for; one that speaks of no TASK has no role, no stage and no age. */
  wantsFinding(finding) {
    return this.text.every((word) => finding.words.includes(word))
      && (!this.severity || finding.severity === this.severity)
      && (finding.card ? this.wantsHolder(finding.card) : !(this.role || this.stage || this.age));
  },

  wantsHolder(card) {
    return (!this.role || card.roles.has(this.role))
      && (!this.stage || card.stage === this.stage)
      && (!this.age || (card.age !== null && card.age >= Number(this.age)));
  },

  /** Take what stands in the form. */
  read() {
    this.text = document.getElementById("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const name of ["role", "stage", "severity", "age"]) this[name] = document.getElementById(`filter-${name}`).value;
  },

  /** Offer what there is to choose, in the current language; what was chosen stays chosen. */
  offer() {
    choose("role", commonRoles().map((role) => [role, role]));
    choose("stage", data.stages.map((stage) => [stage, words.call("stage", stage)]));
    choose("severity", [...SEVERITIES, "clean"].map((level) => [level, words.call("severity", level)]));
    choose("age", AGES.map(([name, seconds]) => [String(seconds), words.say(`older-${name}`)]));
  },
};

/** The roles that most TASKs name, by name; what more there are the search finds. */
function commonRoles() {
  const counts = new Map();
  for (const card of cards) for (const role of card.roles) counts.set(role, (counts.get(role) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one).slice(0, 200).map(([role]) => role).sort();
}

function choose(name, options) {
  const select = document.getElementById(`filter-${name}`);
  const chosen = select.value;
  const made = [["", words.say("any")], ...options].map(([value, text]) => {
    const option = make("option", {}, text);
    option.value = value;
    return option;
  });
  select.replaceChildren(...made);
  select.value = chosen;
}
