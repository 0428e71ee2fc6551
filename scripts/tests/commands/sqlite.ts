import { keepTemporaryFilesInMemory } from '../../memory-folder.ts';
import { allTestFiles, parseTestArguments, runTests } from '../run.ts';

/**
 * Runs tests on SQLite: the given files, or all tests. With --ui, all tests of the admin UI. Other options are passed
 * to `node --test`.
 */

const FILES_AT_ONCE = 2;

const given = parseTestArguments(process.argv.slice(2));
const options = given.options.filter((option) => option !== '--ui');
const isUiOnly = options.length < given.options.length;
const files = allTestFiles().filter((file) => !isUiOnly || file.startsWith('test/ui/'));
using _inMemory = keepTemporaryFilesInMemory();
process.exitCode = await runTests({
  options: [`--test-concurrency=${isUiOnly ? 1 : FILES_AT_ONCE}`, '--test-reporter=spec', ...options],
  files: given.files.length > 0 ? given.files : files,
});
