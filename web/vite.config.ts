import { defineConfig, type Plugin } from 'vite';

/** Where `npm run dev:ui` finds the service that answers everything but the UI's own files. */
const DEV_SERVICE = 'http://127.0.0.1:8080';
const DEV_BASE = '/ui/';

/**
 * As text, the compiler options keep Vite from looking for a tsconfig.json: that of the service, of which the UI takes
 * tables in, extends packages which an installation without development dependencies does not have.
 */
const COMPILER_OPTIONS = JSON.stringify({
  compilerOptions: { jsx: 'react-jsx', useDefineForClassFields: true, verbatimModuleSyntax: true },
});

/**
 * `import { IconX } from '@tabler/icons-react'` becomes an import of that one file: the package's index names six
 * thousand modules, which all would be read to throw all but a few away.
 */
function iconsOneByOne(): Plugin {
  const statement = /import\s*\{([^}]*)\}\s*from\s*['"]@tabler\/icons-react['"];?/g;
  return {
    name: 'icons-one-by-one',
    enforce: 'pre',
    transform(code, id) {
      if (!id.includes('/web/src/') || !code.includes('@tabler/icons-react')) return null;
      return code.replace(statement, (_whole, names: string) =>
        names
          .split(',')
          .map((name) => name.trim())
          .filter((name) => name !== '' && !name.startsWith('type '))
          .map((name) => `import ${name} from '@tabler/icons-react/dist/esm/icons/${name}.mjs';`)
          .join(' '),
      );
    },
  };
}

/** The service fills these in for each answer; the development server does it here. */
function placeholdersInDevelopment(): Plugin {
  return {
    name: 'placeholders-in-development',
    apply: 'serve',
    transformIndexHtml: (html) => html.replaceAll('__BASE__', DEV_BASE).replaceAll('__NONCE__', ''),
  };
}

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  // Relative: the path under which the outside sees the service is known only when it runs.
  base: command === 'build' ? './' : DEV_BASE,
  plugins: [iconsOneByOne(), placeholdersInDevelopment()],
  esbuild: { jsx: 'automatic', legalComments: 'none', tsconfigRaw: COMPILER_OPTIONS },
  // What a dialog that holds back scrolling names its style tags with (see index.html).
  define: { __webpack_nonce__: 'document.documentElement.nonce' },
  server: {
    proxy: { '^/(?!ui/(?!api/))': { target: DEV_SERVICE, changeOrigin: false } },
  },
  build: {
    target: 'es2023',
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
    // No data: addresses for small files, so that the content security policy can do without them.
    assetsInlineLimit: 0,
    rollupOptions: {
      onwarn: (warning, warn) => {
        // For servers that render; here everything is the browser's.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
      output: {
        // What changes only with a dependency stays cached when the UI's own code changes.
        manualChunks(id) {
          if (/node_modules\/(react|react-dom|scheduler)\//.test(id)) return 'react';
          if (/node_modules\/@tanstack\//.test(id)) return 'tanstack';
          return undefined;
        },
      },
    },
  },
}));
