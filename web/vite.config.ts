import { defineConfig, type Plugin } from 'vite';

/** The address of the service for `npm run dev:ui`, which serves everything but the files of the UI. */
const DEV_SERVICE = 'http://127.0.0.1:8080';
const DEV_BASE = '/ui/';

/**
 * As text, the compiler options keep Vite from reading the tsconfig.json of the service, whose tables the UI
 * imports. That file extends packages that are missing without development dependencies.
 */
const COMPILER_OPTIONS = JSON.stringify({
  compilerOptions: { jsx: 'react-jsx', useDefineForClassFields: true, verbatimModuleSyntax: true },
});

/**
 * Turns `import { IconX } from '@tabler/icons-react'` into an import of that one file. The index of the package
 * names six thousand modules, which would all be read for a few of them.
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

/** The service fills these in for each response; the development server does it here. */
function placeholdersInDevelopment(): Plugin {
  return {
    name: 'placeholders-in-development',
    apply: 'serve',
    transformIndexHtml: (html) => html.replaceAll('__BASE__', DEV_BASE).replaceAll('__NONCE__', ''),
  };
}

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  // Relative, because the public path of the service is known only at runtime.
  base: command === 'build' ? './' : DEV_BASE,
  plugins: [iconsOneByOne(), placeholdersInDevelopment()],
  esbuild: { jsx: 'automatic', legalComments: 'none', tsconfigRaw: COMPILER_OPTIONS },
  // The nonce for style tags of dialogs that lock scrolling (see index.html).
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
    // No data: URLs for small files, so that the content security policy need not allow them.
    assetsInlineLimit: 0,
    rollupOptions: {
      onwarn: (warning, warn) => {
        // For server-side rendering, which is not used.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
      output: {
        // Code of dependencies stays cached when the UI's own code changes.
        manualChunks(id) {
          if (/node_modules\/(react|react-dom|scheduler)\//.test(id)) return 'react';
          if (/node_modules\/@tanstack\//.test(id)) return 'tanstack';
          return undefined;
        },
      },
    },
  },
}));
