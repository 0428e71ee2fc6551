import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { xapiFiles } from '../support/course-packages.ts';
import { registerTo } from '../support/registered-course.ts';
import { type Classroom, newLearner, openClassroom } from './support/learner.ts';

/** A page of an xAPI course that sends a statement with its first script. */
const saying = (
  how: 'fetch' | 'XMLHttpRequest',
) => `<!doctype html><html lang="en"><title>Page</title><script>
var given = new URLSearchParams(location.search);
var address = given.get('endpoint') + 'statements';
var headers = { Authorization: given.get('auth'), 'Content-Type': 'application/json', 'X-Experience-API-Version': '1.0.3' };
var body = JSON.stringify({
  actor: JSON.parse(given.get('actor')), verb: { id: 'http://adlnet.gov/expapi/verbs/completed' },
  object: { id: given.get('activity_id') }, context: { registration: given.get('registration') },
});
if ('${how}' === 'fetch') fetch(address, { method: 'POST', headers: headers, body: body }).catch(function () {});
else {
  var sent = new XMLHttpRequest();
  sent.open('POST', address);
  for (var name in headers) sent.setRequestHeader(name, headers[name]);
  sent.send(body);
}
</script><p id="said">Said</p></html>`;

const linkTo = (
  href: string,
) => `<!doctype html><html lang="en"><title>Page</title><p><a id="next">Next</a></p>
<script>document.getElementById('next').href = '${href}' + location.search;</script></html>`;
const frameOf = (src: string) => `<!doctype html><html lang="en"><title>Page</title><body><script>
document.write('<iframe name="inner" src="${src}' + location.search + '"></iframe>');
</script></body></html>`;

describe('a report of a course with its first script', () => {
  let classroom: Classroom;
  let { service, browser } = {} as Classroom;
  aroundTests(async (parts) => {
    classroom = parts.use(await openClassroom());
    ({ service, browser } = classroom);
  });

  for (const [where, index, isFramed, how] of [
    ['of its next page', linkTo('said.html'), false, 'XMLHttpRequest'],
    ['of a frame', frameOf('said.html'), true, 'fetch'],
    ['of the next page of a frame', frameOf('next.html'), true, 'fetch'],
    ['of the next page of a frame', frameOf('next.html'), true, 'XMLHttpRequest'],
  ] as const) {
    it(`${where} is not shown as saved if it was lost (${how})`, async () => {
      await using learner = await newLearner(browser);
      const files = { 'index.html': index, 'next.html': linkTo('said.html'), 'said.html': saying(how) };
      const { registrationId } = await registerTo(service, { ...xapiFiles(), ...files });
      let lost = 0;
      await learner.page.context().route('**/xapi/**', (route) => {
        lost += 1;
        return route.abort();
      });
      await learner.open(service, registrationId);
      const page = isFramed ? learner.course.frameLocator('[name=inner]') : learner.course;
      if (where !== 'of a frame') await page.locator('#next').click();
      await page.locator('#said').waitFor();
      await learner.page.getByRole('button', { name: 'Exit' }).click();
      const ending = learner.page.getByRole('heading', { name: /^You(?!r course| have left)/ });
      assert.equal(await ending.textContent(), 'Your last work may not be saved');
      assert.equal(lost, 1);
    });
  }
});
