import { defineConfig } from 'vite';

const COMPILER_OPTIONS = JSON.stringify({ compilerOptions: { verbatimModuleSyntax: true } });

/** The learner's page. It is served below a launch's token, so all of its URLs are relative. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  esbuild: { legalComments: 'none', tsconfigRaw: COMPILER_OPTIONS },
  build: {
    target: 'es2022',
    emptyOutDir: true,
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
});
