import { showBytes } from './byte-size.ts';
import { CROSS_RULES } from './cross-rules.ts';
import { needsOf } from './idle-settings.ts';
import { environmentName } from './load-settings.ts';
import { LOG_CLASSES } from './log-classes.ts';
import type { SettingDefinition, SettingGroup } from './setting-definition.ts';
import { SETTING_NAMES, SETTINGS_TABLE, type SettingName } from './settings-table.ts';

const EXAMPLE = `host: 0.0.0.0
port: 8080
base_url: https://learning.example.com
content_base_url: https://{launch}.example-courses.net
data_dir: /var/lib/coursewire

# The proxy that terminates TLS
trusted_proxies: [10.0.0.5]

# The only internal network to which postbacks may be sent
target_allowed_networks:
  - 192.168.10.0/24

delivery_timeout: 10
max_package_size: 500MB

log_level: info
custom_log_levels:
  CourseService: debug
`;

const INTRODUCTION = `<!-- Generated from src/settings/settings-table-….ts by scripts/generate-settings-docs.ts. Edit those, not this page. -->

# Settings

Use this page to look up every setting. All settings have defaults, so Coursewire starts without any. The value of a setting comes from

1. the environment variable with its name in upper case (\`${environmentName('log_level')}\` for \`log_level\`), otherwise
2. the YAML file named with \`--config\`, such as \`npm start -- --config coursewire.yaml\`, otherwise
3. its default.

Settings are read once, at startup. If any of them is invalid, the service does not start. It lists all invalid
settings with the source of each value, the value, and what is allowed. Unknown or repeated names in the file are
errors, too. Environment variables with other names are not settings. [Operating](operating.md) describes those that
AWS (\`AWS_REGION\` …), OpenTelemetry (\`OTEL_…\`), PostgreSQL (\`PGPASSWORD\`) and Node (\`NODE_EXTRA_CA_CERTS\`) define.

A setting with the mark **Shared** must be the same in all instances that share a database. A difference causes a
warning in the log and on the System page.
`;

const TYPES = `## Types

| Type | In the file | In the environment |
| --- | --- | --- |
| switch | \`true\` or \`false\` | the same |
| number | \`30\`, \`0.5\` | the same |
| duration | a number of seconds, \`0.5\` | the same |
| number of bytes | \`1048576\`, \`500MB\` (10⁶ bytes each), \`1GiB\` (2³⁰ bytes) | the same |
| text | text, in quotes if YAML would read it as another type | the text itself |
| list | a YAML list | items separated by commas; an empty value is an empty list |
| map | a YAML map | \`name=value\` separated by commas; an empty value is an empty map |

Settings whose default is determined at startup can be \`null\` in the file, which is the same as omitting
them. An empty environment variable counts as set: it is an empty list or map, and an error for any other
type.

## Example

\`\`\`yaml
${EXAMPLE}\`\`\`

Two settings in the environment:

\`\`\`sh
TARGET_ALLOWED_NETWORKS=192.168.10.0/24,fd12:3456::/32
CUSTOM_LOG_LEVELS=CourseService=debug,Database=warn
\`\`\`
`;

/** The settings reference (docs/settings.md), generated from the table. */
export function renderSettingsDocs(): string {
  const groups = new Set<SettingGroup>(SETTING_NAMES.map((name) => SETTINGS_TABLE[name].group));
  return [
    INTRODUCTION,
    renderIndex([...groups]),
    TYPES,
    ...[...groups].map(renderGroup),
    '## Rules between settings\n',
    ...CROSS_RULES.map(
      (rule) => `- \`${rule.setting}\` must be ${rule.allowed.replace(/\b(?:\w+_\w+|port)\b/g, '`$&`')}.`,
    ),
    '',
    '## Classes for `custom_log_levels`\n',
    '| Class | What it logs |',
    '| --- | --- |',
    ...Object.entries(LOG_CLASSES).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`),
    '',
  ].join('\n');
}

function settingsOf(group: SettingGroup): SettingName[] {
  return SETTING_NAMES.filter((name) => SETTINGS_TABLE[name].group === group);
}

/** The names of all settings by group, as links to them. */
function renderIndex(groups: readonly SettingGroup[]): string {
  const linksOf = (group: SettingGroup): string =>
    settingsOf(group)
      .map((name) => `[\`${name}\`](#${name})`)
      .join(', ');
  return [
    '## Index\n',
    '| Group | Settings |',
    '| --- | --- |',
    ...groups.map((group) => `| [${group}](#${group.toLowerCase().replace(' ', '-')}) | ${linksOf(group)} |`),
    '',
  ].join('\n');
}

function renderGroup(group: SettingGroup): string {
  const settings = settingsOf(group).map((name) => {
    const definition: SettingDefinition<unknown> = SETTINGS_TABLE[name];
    return [
      `### \`${name}\`\n`,
      `${definition.meaning}\n`,
      `- Allowed: ${definition.parser.allowed}`,
      `- Default: ${renderDefault(definition)}`,
      ...(needsOf(name) === null
        ? []
        : [`- Used only if ${needsOf(name)}. Otherwise it has no effect, and a startup message says so`]),
      ...(definition.shared ? ['- Shared'] : []),
      ...(definition.secret ? ['- Secret: never shown in errors or logs'] : []),
      '',
    ].join('\n');
  });
  return [`## ${group}\n`, ...settings].join('\n');
}

function renderDefault({ default: value, defaultInWords, parser }: SettingDefinition<unknown>): string {
  if (defaultInWords !== undefined) return defaultInWords;
  if (parser.unit === 'bytes') return `\`${showBytes(Number(value))}\``;
  if (typeof value === 'object') return 'empty';
  return `\`${String(value)}\`${parser.unit === null ? '' : ` ${parser.unit}`}`;
}
