import type { Rollup } from 'vite';
import { defineConfig, type Plugin } from 'vite';
import { mantineOneByOne, mantineStyles } from './mantine-parts.ts';

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

/**
 * Moves the styles behind the frame that the page shows first, which would wait for them otherwise, and preloads what
 * nearly every page needs.
 */
function frameFirst(): Plugin {
  return {
    name: 'frame-first',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const styles = html.match(/<link rel="stylesheet"[^>]*>\s*/g) ?? [];
        const common = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === 'common');
        const preload =
          common === undefined
            ? ''
            : `<link rel="modulepreload" crossorigin href="./${common.fileName}">\n  `;
        return styles
          .reduce((page, style) => page.replace(style, ''), html)
          .replace('</head>', `${preload}</head>`)
          .replace('</body>', `${styles.join('')}</body>`)
          .replaceAll(/\n\s+/g, '\n');
      },
    },
  };
}

/** The pages that open first, by the file of what they share with others. */
const FIRST_PAGES = {
  common: /\/pages\/dashboard\/[a-z-]+-page\.tsx$/,
  forms: /\/pages\/sign-in\/[a-z-]+-page\.tsx$/,
};
const AREA = /\/pages\/([a-z-]+)\//;
/**
 * Few, coarse files, so that a page needs few requests: dependencies, the entry with the modules of every page, the modules
 * that a first page shares with others, those shared within an area or by several areas, and the rest of each page.
 */
const chunkOf: Rollup.GetManualChunk = (id, { getModuleInfo }) => {
  const starts = startsOf(id, getModuleInfo);
  // Named as well: modules without a name would be added to the files that import them.
  if (starts.some((start) => getModuleInfo(start)?.isEntry === true))
    return id.includes('/node_modules/') || id.startsWith('\0') ? 'vendor' : 'app';
  if (starts.length < 2) return undefined;
  for (const [name, pages] of Object.entries(FIRST_PAGES))
    if (starts.some((start) => pages.test(start))) return name;
  const areas = new Set(starts.map((start) => AREA.exec(start)?.[1] ?? 'shared'));
  return areas.size === 1 ? [...areas][0] : 'shared';
};

/** The entry and the pages loaded by themselves that need a module. */
function startsOf(id: string, getModuleInfo: Rollup.GetModuleInfo): string[] {
  const seen = new Set([id]);
  const starts: string[] = [];
  for (const each of seen) {
    const info = getModuleInfo(each);
    if (info === null) continue;
    if (info.isEntry || info.dynamicImporters.length > 0) starts.push(each);
    for (const importer of info.importers) seen.add(importer);
  }
  return starts;
}

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  // Relative, because the public path of the service is known only at runtime.
  base: command === 'build' ? './' : DEV_BASE,
  plugins: [iconsOneByOne(), mantineOneByOne(), mantineStyles(), frameFirst(), placeholdersInDevelopment()],
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
        manualChunks: chunkOf,
      },
    },
  },
}));
