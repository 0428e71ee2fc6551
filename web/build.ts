/**
 * Builds the admin UI into web/dist and the learner's player into web/dist/player. It writes a br and a gz file next to
 * every text file, so that the service does not need to compress anything. `--if-stale` builds only if a source has
 * changed since the last build. The finished build replaces the old one at once, so a running service keeps
 * working.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';
import { KIB } from '../src/bytes.ts';
import { HOUR_MS, SECOND_MS } from '../src/time/units.ts';

const WEB = import.meta.dirname;
const ROOT = path.join(WEB, '..');
const DIST = path.join(WEB, 'dist');
const FINGERPRINT_FILE = 'fingerprint.txt';
const COMPRESSIBLE = '**/*.{js,css,svg,json}';
/** Compressing smaller files gains nothing. */
const MIN_COMPRESSED_BYTES = KIB;
const BROTLI_QUALITY = 11;
/** How long files of former builds are kept. */
const FORMER_ASSETS_MS = HOUR_MS;

const fingerprint = fingerprintOfSources();
if (process.argv.includes('--if-stale') && builtFrom() === fingerprint) process.exit(0);

const started = performance.now();
const fresh = path.join(WEB, `.dist-${process.pid}`);
const old = path.join(WEB, `.dist-${process.pid}-old`);
try {
  await build({
    configFile: path.join(WEB, 'vite.config.ts'),
    // Node runs TypeScript directly.
    configLoader: 'native',
    logLevel: 'warn',
    build: { outDir: fresh },
  });
  await build({
    configFile: path.join(WEB, 'player/vite.config.ts'),
    configLoader: 'native',
    logLevel: 'warn',
    build: { outDir: path.join(fresh, 'player') },
  });
  await compress(fresh);
  keepFormerAssets(fresh);
  writeFileSync(path.join(fresh, FINGERPRINT_FILE), fingerprint);
  mkdirSync(DIST, { recursive: true });
  renameSync(DIST, old);
  renameSync(fresh, DIST);
  console.log(
    `built the admin UI and the player in ${((performance.now() - started) / SECOND_MS).toFixed(1)} s`,
  );
} finally {
  for (const folder of [fresh, old]) rmSync(folder, { recursive: true, force: true });
}

/** Files that pages opened before this build may still request. Their names contain a hash. */
function keepFormerAssets(folder: string): void {
  const since = Date.now() - FORMER_ASSETS_MS;
  for (const file of globSync('{assets,player/assets}/*', { cwd: DIST })) {
    const former = path.join(DIST, file);
    const kept = path.join(folder, file);
    if (!existsSync(kept) && statSync(former).mtimeMs > since) linkSync(former, kept);
  }
}

function builtFrom(): string | null {
  try {
    return readFileSync(path.join(DIST, FINGERPRINT_FILE), 'utf8');
  } catch {
    return null;
  }
}

function fingerprintOfSources(): string {
  const hash = createHash('sha256');
  // The UI includes tables of the service's sources, so their content counts too.
  const sources = globSync(['src/**/*.*', 'player/**/*.*', 'index.html', '*.ts', '../src/**/*.ts'], {
    cwd: WEB,
  }).sort();
  for (const file of sources) hash.update(`${file}\0`).update(readFileSync(path.join(WEB, file)));
  hash.update(readFileSync(path.join(ROOT, 'package-lock.json')));
  return hash.digest('hex');
}

async function compress(folder: string): Promise<void> {
  await Promise.all(
    globSync(COMPRESSIBLE, { cwd: folder }).map(async (file) => {
      const full = path.join(folder, file);
      const bytes = readFileSync(full);
      if (bytes.length < MIN_COMPRESSED_BYTES) return;
      const [br, gz] = await Promise.all([
        promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
        promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
      ]);
      writeFileSync(`${full}.br`, br);
      writeFileSync(`${full}.gz`, gz);
    }),
  );
}
