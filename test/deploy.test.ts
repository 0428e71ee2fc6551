import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { PACKAGE_FILES } from '../bin/service-bundle.js';
import { contentBaseUrlOf, contentPortOf } from '../src/settings/base-url.ts';
import { loadSettings } from '../src/settings/load-settings.ts';
import { SETTING_NAMES } from '../src/settings/settings-table.ts';
import { STOP_SECONDS } from '../src/settings/stop-time.ts';

const ROOT = path.join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const DOCKERFILE = read('deploy/Dockerfile').replace(/\\\n/g, ' ');
const COMPOSE = parse(read('deploy/compose.yaml'), { merge: true }) as {
  services: Record<
    string,
    {
      environment?: Record<string, string>;
      volumes?: string[];
      restart?: string;
      stop_grace_period?: string;
      configs?: { source: string; target: string }[];
    }
  >;
  configs?: Record<string, { content: string }>;
};
const UNIT = read('deploy/coursewire.service');
/** By how many seconds a stop may exceed the two settings. */
const STOP_MARGIN = /\b(\d+) s(?:econds)? (?:longer|more)\b[^.]*\bshutdown_delay\b/g;
const [BUILD_STAGE = '', FINAL_STAGE = ''] = DOCKERFILE.split(/^FROM /m).slice(1);

describe('the example deployment', () => {
  test('the image is built with everything that the admin UI needs', () => {
    const used = new Set<string>();
    for (const file of globSync('web/{vite.config.ts,src/**/*.{ts,tsx,css}}', { cwd: ROOT })) {
      for (const [, name = ''] of read(file).matchAll(/\bfrom '(\.[^']+)'/g)) {
        used.add(path.join(path.dirname(file), name).split(path.sep)[0]!);
      }
    }
    const lines = BUILD_STAGE.split('\n');
    const building = lines.findLastIndex((line) => /^RUN npm (?:ci(?!.*--ignore-scripts)|run)\b/.test(line));
    const copied = lines.slice(0, building).filter((line) => line.startsWith('COPY '));
    assert.ok(used.size > 1, [...used].join());
    for (const folder of used) assert.ok(copied.includes(`COPY ${folder} ${folder}`), folder);
  });

  test('the documentation says which settings the environment of the image overrides', () => {
    const variables = [...(/^ENV (.*)$/m.exec(FINAL_STAGE)?.[1] ?? '').matchAll(/(\w+)=/g)].map(
      ([, name]) => name!,
    );
    const names = SETTING_NAMES.filter((name) => variables.includes(name.toUpperCase()));
    assert.ok(names.length > 0);
    const inWords = (list: string[]) => list.join(', ').replace(/, (?=[^,]*$)/, ' and ');
    const expected =
      `The image sets ${inWords(names.map((name) => `\`${name.toUpperCase()}\``))} in its environment, ` +
      `so a settings file does not change ${inWords(names.map((name) => `\`${name}\``))}.`;
    assert.ok(read('docs/operating.md').replace(/\s+/g, ' ').includes(expected), expected);
  });

  test('the image is built with everything that `npm ci` runs, and contains the sources that were bundled', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const run = [scripts.postinstall!, scripts['build:service']!, read('scripts/build-service.ts')].join(
      '\n',
    );
    const files = new Set(run.match(/\bscripts\/[\w-]+\.\w+|\bbin(?=\/)/g));
    assert.ok(files.size > 2, [...files].join());
    const copied = BUILD_STAGE.split('\n').filter((line) => line.startsWith('COPY '));
    for (const file of files)
      assert.ok(
        copied.some((line) => line.split(' ').includes(file)),
        file,
      );
    for (const line of ['COPY bin bin', 'COPY src src']) assert.ok(FINAL_STAGE.includes(`\n${line}\n`), line);
    for (const file of PACKAGE_FILES)
      assert.match(FINAL_STAGE, new RegExp(`^COPY (?:[^-].*)?\\b${file}\\b`, 'm'), file);
  });

  test('the image omits what is needed only to build the admin UI', () => {
    const packagesOf = (file: string) => Object.keys(JSON.parse(read(file)).dependencies as object);
    const ofService = packagesOf('package.json');
    assert.deepEqual(
      packagesOf('web/package.json').filter((name) => ofService.includes(name)),
      [],
    );
    assert.match(BUILD_STAGE, /^RUN npm ci --omit=dev\n.*\bnpm prune --omit=dev --workspaces=false\b/ms);
    const taken = [...FINAL_STAGE.matchAll(/^COPY .*$/gm)].map(([line]) => line);
    assert.deepEqual(
      taken.filter((line) => /\bweb\b/.test(line)),
      ['COPY --from=build /app/web/dist web/dist'],
    );
    assert.match(read('deploy/Dockerfile.dockerignore'), /^\*\*\/\*\.test\.ts$/m);
  });

  for (const file of ['deploy/nginx.conf', 'deploy/nginx-tls.conf'])
    test(`${file} replaces the addresses that a client claims, for each port of the service`, () => {
      const passing = read(file)
        .split(/^server \{$/m)
        .filter((server) => server.includes('proxy_pass'));
      assert.equal(passing.length, 2);
      for (const server of passing)
        for (const line of [
          'X-Forwarded-For $remote_addr',
          'X-Forwarded-Proto $scheme',
          'X-Forwarded-Host $http_host',
          'Host $http_host',
        ])
          assert.ok(server.includes(`\n  proxy_set_header ${line};\n`), line);
    });

  test('nginx keeps a launch on one instance, and a browser that shows the admin UI, but spreads the API', () => {
    const text = read('deploy/nginx.conf');
    const mapped = (variable: string) => {
      const [, block = ''] =
        new RegExp(`^map \\$request_uri \\${variable} \\{\n(.*?)^\\}`, 'ms').exec(text) ?? [];
      const [, pattern = '', value = ''] = /^ {2}~(\S+) (\S+);$/m.exec(block) ?? [];
      const [, otherwise = ''] = /^ {2}default (\S+);$/m.exec(block) ?? [];
      return { pattern: new RegExp(pattern), value, otherwise };
    };
    const launch = mapped('$launch');
    assert.equal(launch.value, '$token');
    for (const address of ['/t-1.x_y/player/', '/t-1.x_y/xapi/statements?statementId=1', '/t-1.x_y'])
      assert.equal(launch.pattern.exec(address)?.groups?.token, 't-1.x_y', address);
    const sender = mapped('$sender');
    assert.deepEqual([sender.value, sender.otherwise], ['$remote_addr$http_user_agent', '$request_id']);
    for (const address of ['/ui/', '/ui/assets/index-1.js', '/learning/ui/courses'])
      assert.match(address, sender.pattern);
    for (const address of ['/courses', '/events?after=/ui/']) assert.doesNotMatch(address, sender.pattern);
    const methods = Array.from(text.matchAll(/^ {2}hash (\S+) consistent;$/gm), ([, key]) => key);
    assert.deepEqual(methods, ['$sender', '$launch']);
  });

  test('nginx with TLS leads the addresses of its settings to the default ports', () => {
    const text = read('deploy/nginx-tls.conf');
    const env = Object.fromEntries(
      Array.from(text.matchAll(/^# {6}(\w+): \[?(.*?)\]?$/gm), ([, name, value]) => [
        name!.toUpperCase(),
        value,
      ]),
    );
    const settings = loadSettings({ env });
    assert.deepEqual(settings.trusted_proxies, ['127.0.0.1/32']);
    const contentUrl = contentBaseUrlOf(settings, contentPortOf(settings));
    const names = [
      new URL(settings.base_url!).hostname,
      new URL(contentUrl.replace('{launch}', '*')).hostname,
    ];
    const servers = text.split(/^server \{$/m).filter((server) => server.includes('proxy_pass'));
    for (const [index, port] of [settings.port, contentPortOf(settings)].entries()) {
      const server = servers[index]!;
      assert.ok(server.includes(`\n  server_name ${names[index]};\n`), server);
      const [, upstream] = /proxy_pass http:\/\/(\w+);/.exec(server) ?? [];
      assert.match(text, new RegExp(`^upstream ${upstream} \\{\\n  server 127\\.0\\.0\\.1:${port};`, 'm'));
    }
  });

  test('every volume of the service is mounted where the user of the container may write', () => {
    const folders = Object.values(COMPOSE.services)
      .flatMap(({ volumes = [] }) => volumes)
      .map((volume) => volume.split(':')[1]!)
      .filter((folder) => folder.startsWith('/var/lib/coursewire'));
    assert.ok(folders.length > 0);
    const [, made = ''] = /install -d -o coursewire ([^&\n]*)/.exec(FINAL_STAGE) ?? [];
    for (const folder of folders) assert.ok(made.split(/\s+/).includes(folder), folder);
  });

  test('the user of the image is a number, so that Kubernetes can verify that it is not root', () => {
    const [, id = ''] = /^USER (.*)$/m.exec(FINAL_STAGE) ?? [];
    assert.match(id, /^[1-9]\d*$/);
    assert.match(FINAL_STAGE, new RegExp(`\\buseradd --uid ${id} `));
  });

  test('starts the service as npm start does', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: { start: string } };
    const entry = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(FINAL_STAGE)![1]!) as string[];
    const command = JSON.parse(/^CMD (.*)$/m.exec(FINAL_STAGE)![1]!) as string[];
    const program = scripts.start.replace(/^exec /, '');
    assert.equal([...entry, ...command].join(' '), program);
    const [, unit = ''] = /^ExecStart=\S+\/(node .*?) --config/m.exec(UNIT) ?? [];
    assert.equal(unit, program);
  });

  test('the unit allows the sockets with which the program lists network interfaces', () => {
    const [, families = ''] = /^RestrictAddressFamilies=(.*)$/m.exec(UNIT) ?? [];
    assert.deepEqual(families.split(' ').sort(), ['AF_INET', 'AF_INET6', 'AF_NETLINK', 'AF_UNIX']);
  });

  test('the unit starts the program again for as long as it takes, such as until PostgreSQL is reachable', () => {
    const [ofUnit = '', ofService = ''] = UNIT.split(/^\[Service\]$/m);
    assert.match(ofUnit, /^StartLimitIntervalSec=0$/m);
    assert.match(ofService, /^Restart=always$/m);
    assert.match(ofService, /^RestartSec=2$/m);
  });

  test('gives the service enough time to end: as much more than shutdown_delay and shutdown_timeout as its parts may take', () => {
    const { shutdown_delay, shutdown_timeout } = loadSettings({ env: {} });
    for (const file of [
      'docs/operating.md',
      'docs/settings.md',
      'deploy/coursewire.service',
      'deploy/Dockerfile',
    ]) {
      const named = Array.from(read(file).matchAll(STOP_MARGIN), ([, seconds]) => Number(seconds));
      assert.deepEqual(named, [STOP_SECONDS], file);
    }
    const needed = shutdown_delay + shutdown_timeout + STOP_SECONDS;
    const [, ofUnit] = /^TimeoutStopSec=(\d+)$/m.exec(UNIT) ?? [];
    assert.ok(Number(ofUnit) >= needed, `the unit: ${ofUnit} s`);
    for (const name of ['coursewire-1', 'coursewire-2'])
      assert.ok(Number.parseInt(COMPOSE.services[name]?.stop_grace_period ?? '', 10) >= needed, name);
  });

  test('comes back after a restart of the machine: ElasticMQ creates both queues whenever it starts', () => {
    const [mounted] = COMPOSE.services.sqs?.configs ?? [];
    assert.equal(mounted?.target, '/opt/elasticmq.conf');
    const { content = '' } = COMPOSE.configs?.[mounted.source] ?? {};
    const { environment = {} } = COMPOSE.services['coursewire-1']!;
    const { MESSAGE_QUEUE_NAME: messages, DEAD_LETTER_QUEUE_NAME: dead } = environment;
    const queues = new Map(
      Array.from(content.matchAll(/^ {2}"([^"]+)" \{(.*)\}$/gm), ([, name, text]) => [name, text ?? '']),
    );
    assert.deepEqual([...queues.keys()].sort(), [messages, dead].sort());
    for (const text of queues.values()) assert.match(text, /\bfifo = true\b/);
    const [, target] = /deadLettersQueue \{ name = "([^"]+)"/.exec(queues.get(messages) ?? '') ?? [];
    assert.equal(target, dead);
    for (const [name, { restart }] of Object.entries(COMPOSE.services))
      assert.equal(restart, 'unless-stopped', name);
  });

  test('the container behind a proxy on the same machine leaves the proxy the ports of both public addresses', () => {
    const [command = ''] =
      /^docker run -d .*?$/ms.exec(read('docs/operating.md').replace(/\\\n/g, ' ')) ?? [];
    const env = Object.fromEntries(
      Array.from(command.matchAll(/ -e (\w+)=(\S+)/g), ([, name, value]) => [name, value]),
    );
    const settings = loadSettings({ env });
    const baseUrl = settings.base_url ?? '';
    assert.ok(baseUrl.startsWith('https:'), command);
    const taken = Array.from(command.matchAll(/ -p (?:\S+:)?(\d+):\d+/g), ([, port]) => Number(port));
    assert.equal(taken.length, 2);
    for (const url of [baseUrl, contentBaseUrlOf(settings, contentPortOf(settings))])
      assert.ok(!taken.includes(Number(new URL(url).port || 443)), `the proxy cannot listen for ${url}`);
  });

  test('sets only settings that exist', () => {
    const { environment = {} } = COMPOSE.services['coursewire-1']!;
    const image = [...FINAL_STAGE.matchAll(/\b([A-Z_]+)=/g)].map(([, name]) => name!);
    const unit = [...UNIT.matchAll(/^Environment=(\w+)=/gm)].map(([, name]) => name!);
    const names = [...Object.keys(environment), ...image, ...unit].filter(
      (name) => !/^AWS_|^(?:NODE_ENV|NODE_COMPILE_CACHE|PATH)$/.test(name),
    );
    assert.ok(names.length > 10);
    for (const name of names)
      assert.ok(
        SETTING_NAMES.some((known) => known.toUpperCase() === name),
        name,
      );
  });
});
