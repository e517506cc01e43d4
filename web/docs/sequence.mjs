/*
 * Sequence diagrams of the guides, drawn at build time. The source of one:
 *
 *   User, Site, Herald
 *   User -> Site: wants to log in
 *   Site --> User: a response is a dashed line
 *   note Herald: an internal step
 */
const COLUMN = 200;
const MARGIN = 84;
const HEAD = 44;
const ROW = 46;
const NOTE = /^note (.+?): (.+)$/;
const STEP = /^(.+?) (-->|->) (.+?): (.+)$/;

const words = {
  en: { label: 'Sequence diagram', to: ' to ' },
  ru: { label: 'Диаграмма последовательности', to: ' → ' },
};

export function sequence(source, language) {
  const { label, to: towards } = words[language];
  const [first, ...lines] = source.trim().split('\n');
  const actors = first.split(',').map((name) => name.trim());
  const steps = lines.map(readStep);
  const x = (name) => {
    const index = actors.indexOf(name);
    if (index < 0) throw new Error(`unknown actor "${name}" in a sequence diagram`);
    return MARGIN + index * COLUMN;
  };
  const width = MARGIN * 2 + (actors.length - 1) * COLUMN;
  const height = HEAD + 26 + steps.length * ROW;
  const y = (index) => HEAD + 34 + index * ROW;
  const drawn = [
    ...actors.map((name) => actor(x(name), name, height)),
    ...steps.map((step, index) =>
      step.note ? note(x(step.from), y(index), step.text) : arrow(x(step.from), x(step.to), y(index), step),
    ),
  ].join('');
  const description = steps
    .map(({ from, to, text }, index) => `${index + 1}. ${from}${to ? towards + to : ''}: ${text}`)
    .join(' ');
  return `<figure class="sequence" tabindex="0" role="group" aria-label="${label}"><svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(description)}">${drawn}</svg></figure>`;
}

function readStep(line) {
  const noted = NOTE.exec(line);
  if (noted) return { note: true, from: noted[1], text: noted[2] };
  const step = STEP.exec(line);
  if (!step) throw new Error(`invalid line in a sequence diagram: ${line}`);
  return { from: step[1], to: step[3], dashed: step[2] === '-->', text: step[4] };
}

function actor(x, name, height) {
  return (
    `<line class="life" x1="${x}" y1="${HEAD}" x2="${x}" y2="${height}"/>` +
    `<rect class="actor" x="${x - 62}" y="8" width="124" height="34" rx="8"/>` +
    `<text class="name" x="${x}" y="30">${escape(name)}</text>`
  );
}

function arrow(from, to, y, { text, dashed }) {
  const direction = Math.sign(to - from);
  const tip = to - direction * 2;
  const head = `${tip},${y} ${tip - direction * 9},${y - 5} ${tip - direction * 9},${y + 5}`;
  return (
    `<text class="step" x="${(from + to) / 2}" y="${y - 7}">${escape(text)}</text>` +
    `<line class="arrow${dashed ? ' answer' : ''}" x1="${from}" y1="${y}" x2="${tip - direction * 6}" y2="${y}"/>` +
    `<polygon class="head" points="${head}"/>`
  );
}

function note(x, y, text) {
  const width = text.length * 6.6 + 20;
  return (
    `<rect class="note" x="${x - width / 2}" y="${y - 20}" width="${width}" height="26" rx="6"/>` +
    `<text class="step" x="${x}" y="${y - 3}">${escape(text)}</text>`
  );
}

export function escape(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
