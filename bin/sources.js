'use strict';
/** Which files each part of dist/ is built from, and one value for their contents. */
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

const root = path.join(__dirname, '..');
const dist = path.join(root, 'dist');
const codeFolders = ['src', 'workflows', 'activities', 'sdk/typescript/src'];

const sources = {
  /** With the files of src/ that the pages import. */
  pages: () => [
    ...sourcesIn('web'),
    ...['docs/receiving-webhooks.md', 'vite.config.mjs', ...pageModules()].map((name) =>
      path.join(root, name),
    ),
  ],
  code: () => codeFolders.flatMap(sourcesIn),
  /** The compiled files: imports of types are gone there, so most changes of src/ leave the bundle as it is. */
  bundle: () => requiredBy(['workflows/index.js', 'src/base/temporal/bundle.js']),
};

/** Differs when a file, an installed package or the build itself differs. */
function contentOf(files) {
  const always = [path.join(root, 'package-lock.json'), ...filesIn(__dirname)];
  const hash = createHash('sha256');
  for (const file of [...files, ...always].sort()) {
    const content = fs.existsSync(file) ? fs.readFileSync(file) : '';
    hash.update(`${path.relative(root, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest('base64url');
}

const pageModulesFile = path.join(dist, '.page-modules.json');

/** The modules outside of web/ that the bundler read for the last build of the pages, without those that are gone. */
function pageModules() {
  if (!fs.existsSync(pageModulesFile)) return [];
  const names = JSON.parse(fs.readFileSync(pageModulesFile, 'utf8'));
  return names.filter((name) => fs.existsSync(path.join(root, name)));
}

function recordPageModules(ids) {
  const names = ids
    .filter((id) => path.isAbsolute(id))
    .map((id) => path.relative(root, id.replace(/\?.*$/, '')).replaceAll(path.sep, '/'))
    .filter((name) => !/^(\.\.|web|node_modules)\/|\/node_modules\//.test(name));
  fs.writeFileSync(pageModulesFile, JSON.stringify([...new Set(names)].sort(), null, 2));
}

/**
 * Names and times of the sources: cheaper to compare several times a second than their contents. Null while files
 * disappear, as during a checkout of another branch.
 */
function timesOfSources() {
  try {
    const files = new Set([...sources.pages(), ...sources.code()]);
    return [...files]
      .sort()
      .map((file) => `${file} ${fs.statSync(file).mtimeMs}`)
      .join('\n');
  } catch {
    return null;
  }
}

/** Without the files that editors put beside the sources. */
function sourcesIn(folder) {
  return filesIn(path.join(root, folder)).filter((file) =>
    /\.(tsx?|m?js|json|css|html|md|svg|sql)$/.test(file),
  );
}

function filesIn(directory) {
  if (!fs.existsSync(directory)) return [];
  return fs
    .readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

/** Compiled files and what they require from dist/, directly or not. */
function requiredBy(names) {
  const found = new Set(names.map((name) => path.join(dist, name)));
  // The loop also visits what is added to the set meanwhile.
  for (const file of found) {
    if (!fs.existsSync(file)) continue;
    for (const [, target] of fs.readFileSync(file, 'utf8').matchAll(/\brequire\("(\.[^"]+)"\)/g)) {
      const base = path.resolve(path.dirname(file), target);
      found.add(fs.existsSync(`${base}.js`) ? `${base}.js` : path.join(base, 'index.js'));
    }
  }
  return [...found];
}

module.exports = { root, dist, codeFolders, sources, contentOf, timesOfSources, recordPageModules, filesIn };
