/**
 * The page that replaces a page of ADL's test content, which needs Java in the browser. It finds the runtime as courses
 * do, makes the given calls, and terminates when the original page would.
 * @param name the name of the page in ADL's test content
 */
export function coursePage(name: string): string {
  const unload = {
    'SequencingTestSingleDoTerminate.htm': '',
    'exitAllOnUnload.htm': 'exitAll',
    'suspendAllOnUnload.htm': 'suspendAll',
    'tarAct4OnUnload.htm': '{target=activity_4}choice',
  }[name];
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Test</title><p>Test</p>
<script>
function find(start) {
  for (var at = start, i = 0; at && i < 10; i++) {
    if (at.API_1484_11) return at.API_1484_11;
    if (at.parent === at) break;
    at = at.parent;
  }
  return null;
}
var api = find(window);
function indexed(element) {
  var match = /^(.*)\\.&(.*)&\\.(.*)$/.exec(element);
  if (!match) return element;
  var count = Number(api.GetValue(match[1] + '._count'));
  for (var i = 0; i < count; i++) if (api.GetValue(match[1] + '.' + i + '.id') === match[2]) return match[1] + '.' + i + '.' + match[3];
  return null;
}
function call(each) {
  if (each.method === 'compareObjectives') {
    var ids = [], count = Number(api.GetValue('cmi.objectives._count'));
    for (var i = 0; i < count; i++) ids.push(api.GetValue('cmi.objectives.' + i + '.id'));
    return { result: ids.join(','), error: '0' };
  }
  if (each.method === 'GetLastError') { var code = api.GetLastError(); return { result: code, error: api.GetLastError() }; }
  var element = indexed(each.element);
  if (element === null) return { result: 'no such id', error: '-1' };
  var result = each.method === 'SetValue' ? api.SetValue(element, each.value) : api[each.method](element);
  return { result: String(result), error: String(api.GetLastError()) };
}
window.runCalls = function (calls) {
  var answers = calls.map(call);
  ${unload === undefined ? "if (api) api.Terminate('');" : ''}
  return answers;
};
${
  unload === undefined
    ? ''
    : `addEventListener('unload', function () {
  ${unload === '' ? '' : `api.SetValue('adl.nav.request', ${JSON.stringify(unload)});`}
  api.Terminate('');
});`
}
</script></html>`;
}
