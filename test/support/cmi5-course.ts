/** A unit of a cmi5 course: its block, `moveOn` and mastery score. */
export interface Cmi5Unit {
  launchParameters?: string;
  id: string;
  moveOn?: string;
  masteryScore?: string;
  url?: string;
  launchMethod?: string;
}

/** A cmi5 course of one block. */
export function cmi5Course(units: readonly Cmi5Unit[], courseId = 'https://example.com/course') {
  const aus = units.map(
    ({
      id,
      moveOn = 'Completed',
      masteryScore,
      url = 'start.html',
      launchMethod,
      launchParameters = 'a&amp;b',
    }) =>
      `<au id="${id}" moveOn="${moveOn}" ${launchMethod === undefined ? '' : `launchMethod="${launchMethod}"`} ${masteryScore === undefined ? '' : `masteryScore="${masteryScore}"`}>
       <title><langstring lang="en">${id}</langstring></title><description><langstring lang="en">x</langstring></description>
       <url>${url}</url><launchParameters>${launchParameters}</launchParameters></au>`,
  );
  return {
    'cmi5.xml': `<?xml version="1.0" encoding="utf-8"?>
      <courseStructure xmlns="https://w3id.org/xapi/profiles/cmi5/v1/CourseStructure.xsd">
      <course id="${courseId}"><title><langstring lang="en">Course</langstring></title>
      <description><langstring lang="en">Course</langstring></description></course>
      <block id="${courseId}/block"><title><langstring lang="en">Block</langstring></title>
      <description><langstring lang="en">Block</langstring></description>${aus.join('')}</block></courseStructure>`,
    'start.html': '<!doctype html><title>Unit</title>',
  };
}

/**
 * The page of a cmi5 unit, controlled by its buttons. `#started` shows the launch mode, or what went
 * wrong; `#pass` completes, passes and terminates, `#return` goes to the return URL.
 */
export const CMI5_PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Unit</title></head>
<body>
<h1>Unit</h1>
<p id="started"></p>
<p id="opener"></p>
<button id="pass">Pass</button>
<button id="return">Return</button>
<p id="done"></p>
<script>
const given = new URLSearchParams(location.search);
const CATEGORY = 'https://w3id.org/xapi/cmi5/context/categories/';
let headers, data;
document.getElementById('opener').textContent = opener ? 'opened by a page' : 'opened by nobody';
function statement(verb, result, categories) {
  const context = data.contextTemplate;
  return {
    id: crypto.randomUUID(),
    actor: JSON.parse(given.get('actor')),
    verb: { id: 'http://adlnet.gov/expapi/verbs/' + verb },
    object: { id: given.get('activityId') },
    timestamp: new Date().toISOString(),
    result: result,
    context: {
      registration: given.get('registration'),
      extensions: context.extensions,
      contextActivities: Object.assign({}, context.contextActivities, {
        category: ['cmi5'].concat(categories || []).map((name) => ({ id: CATEGORY + name })),
      }),
    },
  };
}
async function say(statements) {
  const answer = await fetch(given.get('endpoint') + 'statements', {
    method: 'POST', keepalive: true, headers: headers, body: JSON.stringify(statements),
  });
  if (!answer.ok) throw new Error(await answer.text());
}
async function start() {
  const { 'auth-token': token, 'error-text': refusal } = await (await fetch(given.get('fetch'), { method: 'POST' })).json();
  if (!token) throw new Error(refusal);
  headers = { authorization: 'Basic ' + token, 'content-type': 'application/json', 'x-experience-api-version': '1.0.3' };
  const query = new URLSearchParams({
    activityId: given.get('activityId'), agent: given.get('actor'), registration: given.get('registration'), stateId: 'LMS.LaunchData',
  });
  data = await (await fetch(given.get('endpoint') + 'activities/state?' + query, { headers: headers })).json();
  const profile = new URLSearchParams({ agent: given.get('actor'), profileId: 'cmi5LearnerPreferences' });
  await fetch(given.get('endpoint') + 'agents/profile?' + profile, { headers: headers });
  await say([statement('initialized')]);
  return data.launchMode;
}
start().then((words) => { document.getElementById('started').textContent = words; },
  (error) => { document.getElementById('started').textContent = 'failed: ' + error.message; });
document.getElementById('pass').onclick = async () => {
  await say([statement('completed', { completion: true, duration: 'PT30S' }, ['moveon'])]);
  await say([statement('passed', { success: true, duration: 'PT30S', score: { scaled: 0.9 } }, ['moveon'])]);
  await say([statement('terminated', { duration: 'PT1M' })]);
  document.getElementById('done').textContent = 'done';
};
document.getElementById('return').onclick = () => { location.assign(data.returnURL); };
</script>
</body></html>`;
