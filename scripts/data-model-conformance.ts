import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type DataModelApi, startDataModel } from '../test/ui/support/data-model.ts';

/**
 * Runs the data model fixtures of scorm-again against the API that the player offers to courses, and compares the
 * results. The path of a scorm-again checkout is an argument.
 */

const USAGE = `Usage: node scripts/data-model-conformance.ts FOLDER

Replays the data model fixtures of FOLDER, a checkout of https://github.com/jcputney/scorm-again, and lists the calls that
have another result.
`;
const FIXTURES = 'test/conformance/adl/fixtures';
const MOST_OF_STRING = 255;

/** A call with its expected result. Member names are those of the files. */
interface Step {
  method: keyof DataModelApi;
  element?: string;
  value?: string;
  expectedReturn?: string | { match: string };
  expectedErrorCode: string;
}

interface Fixture {
  id: string;
  scormVersion: '1.2' | '2004';
  initialState?: { cmi?: Record<string, unknown> };
  activities: { id: string; initialState?: { cmi?: Record<string, unknown> }; steps: Step[] }[];
}

const { positionals } = parseArgs({ allowPositionals: true });
const [folder] = positionals;
if (positionals.length !== 1 || folder === undefined || !existsSync(path.join(folder, FIXTURES))) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  process.exitCode = run(path.join(folder, FIXTURES));
}

/** Returns the exit status: 0 if every call has the expected result. */
function run(fixtures: string): number {
  const files = globSync('**/*.json', { cwd: fixtures }).toSorted();
  let steps = 0;
  let failed = 0;
  for (const file of files) {
    const fixture = JSON.parse(readFileSync(path.join(fixtures, file), 'utf8')) as Fixture;
    for (const activity of fixture.activities) {
      const { cmi = {} } = activity.initialState ?? fixture.initialState ?? {};
      const api = startDataModel(fixture.scormVersion, cmi);
      for (const [index, step] of activity.steps.entries()) {
        steps += 1;
        const fault = faultOf(api, step);
        if (fault === null) continue;
        failed += 1;
        process.stdout.write(`${fixture.id}, ${activity.id}, step ${index + 1}: ${fault}\n`);
      }
    }
  }
  process.stdout.write(
    `${steps - failed} of ${steps} calls in ${files.length} files have the expected result\n`,
  );
  return steps > 0 && failed === 0 ? 0 : 1;
}

/** Makes a call and returns the difference from the expected result; null if there is none. */
function faultOf(api: DataModelApi, step: Step): string | null {
  const { method, element = '', value = '' } = step;
  const call = `${method}(${[step.element, step.value].filter((each) => each !== undefined).join(' = ')})`;
  const answer =
    method === 'SetValue'
      ? api.SetValue(element, value)
      : method === 'GetValue'
        ? api.GetValue(element)
        : method === 'GetLastError'
          ? api.GetLastError()
          : api[method](value);
  const error = api.GetLastError();
  if (error !== step.expectedErrorCode) {
    return `${call} has error ${error}, expected ${step.expectedErrorCode}`;
  }
  const expected = step.expectedReturn;
  if (expected === undefined) return null;
  const isRight =
    typeof expected === 'string' ? answer === expected : answer !== '' && answer.length <= MOST_OF_STRING;
  return isRight ? null : `${call} answers ${JSON.stringify(answer)}, expected ${JSON.stringify(expected)}`;
}
