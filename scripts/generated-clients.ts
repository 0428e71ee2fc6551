import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { scormPackage } from '../test/content/packages.ts';
import { startTestService } from '../test/support/service.ts';

/**
 * Generates clients from `/openapi.json` with widespread generators, and runs a tour of the API with each: token,
 * accounts and webhooks with `If-Match`, statistics, a test message, an upload, a launch, paging, events with a filter
 * and in full, alert rules, the audit log, and the problems 400, 404, 409 and 412. The clients are not edited.
 * Generators and their dependencies are installed into FOLDER.
 */

const USAGE = `Usage: node scripts/generated-clients.ts FOLDER [--only NAME]...

Generates clients in FOLDER, which is kept for the next run, and runs the tour with each.
A generator whose toolchain is missing is skipped, and the summary says so.
`;

const TOURS = path.join(import.meta.dirname, 'generated-clients');
const VERSIONS = {
  'openapi-typescript': '7.13.0',
  'openapi-fetch': '0.17.0',
  '@hey-api/openapi-ts': '0.99.0',
  orval: '8.38.0',
  typescript: '5.9.3',
  tsx: '4.20.6',
  '@types/node': '24.19.2',
  '@stoplight/spectral-cli': '6.16.3',
  'openapi-python-client': '0.29.1',
  'openapi-generator': '7.25.0',
  'oapi-codegen': '2.8.2',
} as const;
const GENERATOR_JAR = `https://repo1.maven.org/maven2/org/openapitools/openapi-generator-cli/${VERSIONS['openapi-generator']}/openapi-generator-cli-${VERSIONS['openapi-generator']}.jar`;

/** A generator, and how to run its client. */
interface Generator {
  name: string;
  /** Programs that must be installed. */
  needs: string[];
  /** Generates the client in `at` and runs the tour with it. */
  run(at: string): Promise<void>;
}

class CommandError extends Error {
  override name = 'CommandError';
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', multiple: true, default: [] } },
});
const [target] = positionals;
if (target === undefined) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  process.exitCode = await main(path.resolve(target));
}

/** Returns the exit status: 0 if at least one tour could run, and all that could run succeeded. */
async function main(folder: string): Promise<number> {
  await using service = await startTestService();
  mkdirSync(folder, { recursive: true });
  const description = path.join(folder, 'openapi.json');
  writeFileSync(description, await (await fetch(`${service.url}/openapi.json`)).text());
  const coursePackage = path.join(folder, 'course.zip');
  writeFileSync(coursePackage, await scormPackage());
  const message = path.join(folder, 'message.json');
  writeFileSync(message, messageWithoutScore(readFileSync(description, 'utf8')));
  const env = {
    ...process.env,
    API: service.url,
    CLIENT_ID: service.clientId,
    CLIENT_SECRET: service.clientSecret,
    PACKAGE: coursePackage,
    MESSAGE: message,
  };
  const generators = generatorsFor(folder, description, env).filter(
    ({ name }) => values.only.length === 0 || values.only.includes(name),
  );
  const results: { name: string; result: string }[] = [];
  for (const generator of generators) {
    const missing = generator.needs.filter((program) => !isInstalled(program));
    results.push({
      name: generator.name,
      result: missing.length > 0 ? `skipped: no ${missing.join(', ')}` : await tryOut(generator, folder),
    });
    console.log(`${results.at(-1)?.name}: ${results.at(-1)?.result}`);
  }
  const passed = results.filter(({ result }) => result === 'passed').length;
  const skipped = results.filter(({ result }) => result.startsWith('skipped')).length;
  const failed = results.length - passed - skipped;
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  return failed === 0 && passed > 0 ? 0 : 1;
}

/** The example of REGISTRATION_STATUS_UPDATED, with all nullable members set to null. */
function messageWithoutScore(description: string): string {
  const { webhooks } = JSON.parse(description);
  const { example } = webhooks.REGISTRATION_STATUS_UPDATED.post.requestBody.content['application/json'];
  Object.assign(example.resource.registration, { score: null, completion_dt: null });
  return JSON.stringify(example);
}

async function tryOut({ name, run }: Generator, folder: string): Promise<string> {
  const at = path.join(folder, name.replaceAll(/[^\w-]+/g, '-'));
  rmSync(path.join(at, 'client'), { recursive: true, force: true });
  mkdirSync(at, { recursive: true });
  try {
    await run(at);
    return 'passed';
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return `failed: ${error.message}`;
  }
}

function generatorsFor(folder: string, description: string, env: NodeJS.ProcessEnv): Generator[] {
  const command = (at: string, program: string, ...args: string[]) => execute(at, env, program, args);
  const inNpm = (program: string) => path.join(folder, 'npm/node_modules/.bin', program);

  async function npmPackages(): Promise<void> {
    const at = path.join(folder, 'npm');
    if (existsSync(path.join(at, 'node_modules'))) return;
    mkdirSync(at, { recursive: true });
    writeFileSync(path.join(at, 'package.json'), '{ "private": true }\n');
    const names = [
      'openapi-typescript',
      'openapi-fetch',
      '@hey-api/openapi-ts',
      'orval',
      'typescript',
      'tsx',
      '@types/node',
      '@stoplight/spectral-cli',
    ] as const;
    const packages = names.map((name) => `${name}@${VERSIONS[name]}`);
    await command(at, 'npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages);
  }

  async function jar(): Promise<string> {
    const file = path.join(folder, `openapi-generator-${VERSIONS['openapi-generator']}.jar`);
    if (!existsSync(file)) {
      const response = await fetch(GENERATOR_JAR);
      if (!response.ok || response.body === null)
        throw new CommandError(`${GENERATOR_JAR}: ${response.status}`);
      await pipeline(Readable.fromWeb(response.body as never), createWriteStream(file));
    }
    return file;
  }

  async function openapiGenerator(at: string, language: string, ...more: string[]) {
    const parts = 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false';
    const args = ['generate', '-i', description, '-g', language, '-o', path.join(at, 'client')];
    args.push('--global-property', parts, ...more);
    await command(at, 'java', '-jar', await jar(), ...args);
  }

  /** Compiles the tour with the client, strictly, and runs it. */
  async function runTypeScript(at: string, tour: string): Promise<void> {
    copyFileSync(path.join(TOURS, tour), path.join(at, 'tour.ts'));
    const compilerOptions = {
      strict: true,
      target: 'es2022',
      module: 'preserve',
      moduleResolution: 'bundler',
      noEmit: true,
      skipLibCheck: true,
      lib: ['es2022', 'dom', 'dom.iterable'],
      types: ['node'],
    };
    writeFileSync(path.join(at, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['tour.ts'] }));
    writeFileSync(path.join(at, 'package.json'), '{ "type": "module" }\n');
    const modules = path.join(at, 'node_modules');
    if (!existsSync(modules)) symlinkSync(path.join(folder, 'npm/node_modules'), modules);
    await command(at, inNpm('tsc'), '-p', '.');
    await command(at, inNpm('tsx'), 'tour.ts');
  }

  async function python(at: string, ...packages: string[]): Promise<string> {
    const bin = path.join(at, 'venv/bin');
    if (!existsSync(path.join(bin, 'pip'))) await command(at, 'python3', '-m', 'venv', 'venv');
    await command(at, path.join(bin, 'pip'), 'install', '--quiet', ...packages);
    return bin;
  }

  function goModule(at: string, tour: string): void {
    copyFileSync(path.join(TOURS, tour), path.join(at, 'main.go'));
    writeFileSync(path.join(at, 'go.mod'), 'module tour\n\ngo 1.24\n');
  }

  return [
    {
      name: 'spectral',
      needs: ['npm'],
      async run(at) {
        await npmPackages();
        writeFileSync(
          path.join(at, 'rules.yaml'),
          'extends: ["spectral:oas"]\nrules:\n  info-contact: off\n  operation-description: off\n',
        );
        await command(
          at,
          inNpm('spectral'),
          'lint',
          description,
          '-r',
          'rules.yaml',
          '--fail-severity',
          'warn',
        );
      },
    },
    {
      name: 'openapi-typescript',
      needs: ['npm'],
      async run(at) {
        await npmPackages();
        await command(at, inNpm('openapi-typescript'), description, '-o', 'client/schema.ts');
        await runTypeScript(at, 'openapi-typescript.ts');
      },
    },
    {
      name: 'hey-api',
      needs: ['npm'],
      async run(at) {
        await npmPackages();
        await command(at, inNpm('openapi-ts'), '-i', description, '-o', 'client');
        await runTypeScript(at, 'hey-api.ts');
      },
    },
    {
      name: 'orval',
      needs: ['npm'],
      async run(at) {
        await npmPackages();
        writeFileSync(
          path.join(at, 'orval.config.mjs'),
          `export default ${JSON.stringify({
            api: {
              input: description,
              output: { target: 'client/api.ts', client: 'fetch', baseUrl: env.API },
            },
          })};\n`,
        );
        await command(at, inNpm('orval'), '--config', 'orval.config.mjs');
        await runTypeScript(at, 'orval.ts');
      },
    },
    {
      name: 'openapi-python-client',
      needs: ['python3'],
      async run(at) {
        const bin = await python(at, `openapi-python-client==${VERSIONS['openapi-python-client']}`);
        const generate = ['generate', '--path', description, '--output-path', 'client', '--overwrite'];
        await command(at, path.join(bin, 'openapi-python-client'), ...generate, '--meta', 'none');
        copyFileSync(path.join(TOURS, 'openapi-python-client.py'), path.join(at, 'tour.py'));
        await command(at, path.join(bin, 'python'), 'tour.py');
      },
    },
    {
      name: 'openapi-generator python',
      needs: ['java', 'python3'],
      async run(at) {
        await openapiGenerator(at, 'python');
        const bin = await python(at, './client');
        copyFileSync(path.join(TOURS, 'openapi-generator.py'), path.join(at, 'tour.py'));
        await command(at, path.join(bin, 'python'), 'tour.py');
      },
    },
    {
      name: 'openapi-generator java',
      needs: ['java', 'mvn'],
      async run(at) {
        // Otherwise, an omitted optional list is sent as an empty one, and members of later releases are errors.
        const properties = 'containerDefaultToNull=true,disallowAdditionalPropertiesIfNotPresent=false';
        await openapiGenerator(at, 'java', '-p', properties);
        const sources = path.join(at, 'client/src/main/java');
        copyFileSync(path.join(TOURS, 'Tour.java'), path.join(sources, 'Tour.java'));
        await command(path.join(at, 'client'), 'mvn', '-q', '-B', '-DskipTests', 'compile');
        const copy = 'dependency:build-classpath';
        await command(path.join(at, 'client'), 'mvn', '-q', '-B', copy, '-Dmdep.outputFile=classpath');
        const libraries = readFileSync(path.join(at, 'client/classpath'), 'utf8').trim();
        const classpath = ['target/classes', libraries].join(path.delimiter);
        await command(path.join(at, 'client'), 'java', '-cp', classpath, 'Tour');
      },
    },
    {
      name: 'openapi-generator go',
      needs: ['java', 'go'],
      async run(at) {
        // Otherwise, the constants of several enums have the same name, and members of later releases are errors.
        const properties =
          'enumClassPrefix=true,disallowAdditionalPropertiesIfNotPresent=false,useOneOfDiscriminatorLookup=true';
        await openapiGenerator(at, 'go', '-p', `withGoMod=false,isGoSubmodule=true,${properties}`);
        goModule(at, 'openapi-generator.go');
        await command(at, 'go', 'mod', 'tidy');
        await command(at, 'go', 'run', '.');
      },
    },
    {
      name: 'openapi-generator rust',
      needs: ['java', 'cargo'],
      async run(at) {
        await openapiGenerator(at, 'rust');
        mkdirSync(path.join(at, 'tour/src'), { recursive: true });
        writeFileSync(
          path.join(at, 'tour/Cargo.toml'),
          '[package]\nname = "tour"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\nopenapi = { path = "../client" }\n' +
            'serde = "1"\nserde_json = "1"\ntokio = { version = "1", features = ["macros", "rt-multi-thread"] }\n',
        );
        copyFileSync(path.join(TOURS, 'openapi-generator.rs'), path.join(at, 'tour/src/main.rs'));
        await command(path.join(at, 'tour'), 'cargo', 'run', '-q');
      },
    },
    {
      name: 'openapi-generator typescript-fetch',
      needs: ['java', 'npm'],
      async run(at) {
        await npmPackages();
        await openapiGenerator(at, 'typescript-fetch');
        await runTypeScript(at, 'openapi-generator.ts');
      },
    },
    {
      name: 'oapi-codegen',
      needs: ['go'],
      async run(at) {
        goModule(at, 'oapi-codegen.go');
        mkdirSync(path.join(at, 'client'), { recursive: true });
        const program = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${VERSIONS['oapi-codegen']}`;
        const generate = ['-generate', 'types,client', '-package', 'client', '-o', 'client/client.go'];
        await command(at, 'go', 'run', program, ...generate, description);
        await command(at, 'go', 'mod', 'tidy');
        await command(at, 'go', 'run', '.');
      },
    },
  ];
}

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? '')
    .split(path.delimiter)
    .some((folder) => existsSync(path.join(folder, program)));
}

/** @throws {CommandError} with the end of the output of the program */
async function execute(
  at: string,
  env: NodeJS.ProcessEnv,
  program: string,
  args: readonly string[],
): Promise<void> {
  const child = spawn(program, args, { cwd: at, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-4_000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new CommandError(`${path.basename(program)} ended with ${code}\n${output}`);
}
