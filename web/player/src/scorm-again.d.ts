// The package's types declare a default export that its modules do not have.
declare module 'scorm-again/scorm12/min' {
  export { default as Scorm12API } from 'scorm-again/scorm12';
}
declare module 'scorm-again/scorm2004/min' {
  export { default as Scorm2004API } from 'scorm-again/scorm2004';
}
