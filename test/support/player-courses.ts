import type { PackageFiles } from './course-packages.ts';
import { SCORM_12, SCORM_2004, type ScormEdition, scormManifest } from './course-packages.ts';

/** Units `i1`, `i2` and so on of a SCORM course, each with the same page. None says when it is passed. */
export function lessons(count: number, title = 'Lesson'): string {
  const numbers = Array.from({ length: count }, (_, at) => at + 1);
  return numbers
    .map((each) => `<item identifier="i${each}" identifierref="r1"><title>${title} ${each}</title></item>`)
    .join('');
}

/**
 * A SCORM 1.2 course that is controlled by its buttons, and shows its initial values. Like real ones it looks for the
 * runtime in the windows around it, and saves its last data on unload.
 */
export function scorm12Course({
  title = 'Fire safety',
  items = '<item identifier="i1" identifierref="r1"><title>Lesson 1</title><adlcp:masteryscore>80</adlcp:masteryscore></item>',
  resources = '<resource identifier="r1" type="webcontent" adlcp:scormtype="sco" href="lesson/index.html"><file href="lesson/index.html"/></resource>',
}: {
  title?: string;
  items?: string;
  resources?: string;
} = {}): PackageFiles {
  return {
    'imsmanifest.xml': scormManifest(SCORM_12, { title, items, resources }),
    'lesson/index.html': LESSON_12,
  };
}

/** A lesson: `window.sco` is its API, `window.given` its initial values. */
const LESSON_12 = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Lesson</title></head>
<body>
<h1>Lesson</h1>
<p id="given"></p>
<button id="pass">Pass</button>
<button id="fail">Fail</button>
<button id="suspend">Suspend</button>
<script>
function find(start) {
  for (var at = start, i = 0; at && i < 10; i++) {
    if (at.API) return at.API;
    if (at.parent === at) break;
    at = at.parent;
  }
  return start.opener ? find(start.opener) : null;
}
var sco = find(window), ended = false;
var started = sco.LMSInitialize('');
var names = ['core.entry', 'core.lesson_mode', 'core.credit', 'core.lesson_status', 'core.lesson_location', 'core.total_time', 'core.student_id', 'suspend_data', 'launch_data', 'student_data.mastery_score'];
var given = { started: started };
names.forEach(function (name) { given[name] = sco.LMSGetValue('cmi.' + name); });
document.getElementById('given').textContent = JSON.stringify(given, function (key, value) { return value.length > 1000 ? value.length + ' characters' : value; });
function end(status, score, exit) {
  sco.LMSSetValue('cmi.core.score.raw', score);
  sco.LMSSetValue('cmi.core.lesson_status', status);
  sco.LMSSetValue('cmi.core.exit', exit);
  sco.LMSSetValue('cmi.core.session_time', '00:01:30');
  sco.LMSFinish('');
  ended = true;
}
document.getElementById('pass').onclick = function () { end('passed', 85, ''); };
document.getElementById('fail').onclick = function () { end('failed', 40, ''); };
document.getElementById('suspend').onclick = function () {
  sco.LMSSetValue('cmi.core.lesson_location', 'page-7');
  sco.LMSSetValue('cmi.suspend_data', 'answers=a,b');
  sco.LMSSetValue('cmi.core.lesson_status', 'incomplete');
  sco.LMSSetValue('cmi.core.exit', 'suspend');
  sco.LMSSetValue('cmi.core.session_time', '00:00:30');
  sco.LMSFinish('');
  ended = true;
};
addEventListener('unload', function () {
  if (ended || !window.saysLastWords) return;
  sco.LMSSetValue('cmi.core.lesson_location', 'last-page');
  sco.LMSSetValue('cmi.core.lesson_status', 'completed');
  sco.LMSSetValue('cmi.core.score.raw', '90');
  sco.LMSFinish('');
});
</script>
</body></html>`;

/** The same for SCORM 2004. */
export function scorm2004Course({
  edition = '4th',
  title = 'Fire safety',
  items = `<item identifier="i1" identifierref="r1"><title>Lesson 1</title>${SCORM_2004.passing}</item>`,
  sequencing = '',
}: {
  edition?: ScormEdition;
  title?: string;
  items?: string;
  sequencing?: string;
} = {}): PackageFiles {
  const version = edition === '2nd' ? 'CAM 1.3' : `2004 ${edition} Edition`;
  return {
    'imsmanifest.xml': scormManifest(
      { ...SCORM_2004, version },
      {
        title,
        // The sequencing of the organization comes after its items.
        items: items + sequencing,
        resources:
          '<resource identifier="r1" type="webcontent" adlcp:scormType="sco" href="lesson/index.html"/>' +
          '<resource identifier="a1" type="webcontent" adlcp:scormType="asset" href="asset.html"/>',
      },
    ),
    'lesson/index.html': LESSON_2004,
    'asset.html':
      '<!doctype html><html lang="en"><title>Reading</title><p id="reading">Read this.</p></html>',
  };
}

const LESSON_2004 = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Lesson</title></head>
<body>
<h1>Lesson</h1>
<p id="given"></p>
<button id="pass">Pass</button>
<button id="fail">Fail</button>
<button id="suspend">Suspend</button>
<button id="continue">Next unit</button>
<script>
function find(start) {
  for (var at = start, i = 0; at && i < 10; i++) {
    if (at.API_1484_11) return at.API_1484_11;
    if (at.parent === at) break;
    at = at.parent;
  }
  return start.opener ? find(start.opener) : null;
}
var sco = find(window);
var given = { started: sco.Initialize('') };
['entry', 'mode', 'credit', 'completion_status', 'success_status', 'location', 'total_time', 'learner_id', 'suspend_data', 'scaled_passing_score', 'objectives._count', 'objectives.0.id', 'interactions._count'].forEach(function (name) { given[name] = sco.GetValue('cmi.' + name); });
given.continue = sco.GetValue('adl.nav.request_valid.continue');
document.getElementById('given').textContent = JSON.stringify(given);
function end(completion, scaled, exit, request) {
  sco.SetValue('cmi.interactions.0.id', 'q1');
  sco.SetValue('cmi.interactions.0.type', 'choice');
  sco.SetValue('cmi.interactions.0.learner_response', 'a');
  sco.SetValue('cmi.interactions.0.result', 'correct');
  if (scaled !== null) sco.SetValue('cmi.score.scaled', scaled);
  sco.SetValue('cmi.completion_status', completion);
  sco.SetValue('cmi.exit', exit);
  sco.SetValue('cmi.session_time', 'PT1M30S');
  if (request) sco.SetValue('adl.nav.request', request);
  sco.Terminate('');
}
document.getElementById('pass').onclick = function () { end('completed', 0.85, ''); };
document.getElementById('fail').onclick = function () { end('completed', 0.4, ''); };
document.getElementById('continue').onclick = function () { end('completed', 0.9, '', 'continue'); };
document.getElementById('suspend').onclick = function () {
  sco.SetValue('cmi.location', 'page-7');
  sco.SetValue('cmi.suspend_data', 'answers=a,b');
  end('incomplete', null, 'suspend', 'suspendAll');
};
</script>
</body></html>`;
