import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NODE_MODULES = path.join(import.meta.dirname, '../../../node_modules');
const CACHE = path.join(NODE_MODULES, '.cache');

/** Nothing that talks to anyone but the page under test. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts the browser that came with the dependencies. It brings its libraries and fonts where the machine has none. */
export async function launchChromium(): Promise<Browser> {
  const folder = unpacked();
  const options = { executablePath: path.join(folder, 'chromium'), args: FLAGS };
  try {
    return await chromium.launch(options);
  } catch (error) {
    if (!/shared librar|fontconfig/i.test(String(error))) throw error;
    const env = {
      ...process.env,
      LD_LIBRARY_PATH: path.join(folder, 'al2023', 'lib'),
      FONTCONFIG_PATH: path.join(folder, 'fonts'),
    };
    return await chromium.launch({ ...options, env });
  }
}

/** The folder of the unpacked browser; unpacks it at the first use. Several processes may do so at once. */
function unpacked(): string {
  const { version } = JSON.parse(
    readFileSync(path.join(NODE_MODULES, '@sparticuz/chromium/package.json'), 'utf8'),
  );
  const folder = path.join(CACHE, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const fresh = mkdtempSync(path.join(CACHE, 'unpacking-'));
  try {
    // The package unpacks into the folder for temporary files, and its libraries only where it finds itself on AWS.
    execFileSync(
      process.execPath,
      ['--input-type=module', '-e', "await (await import('@sparticuz/chromium')).default.executablePath()"],
      {
        cwd: import.meta.dirname,
        env: { ...process.env, TMPDIR: fresh, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x' },
      },
    );
    renameSync(fresh, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}
