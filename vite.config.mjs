import path from 'node:path';
import preact from '@preact/preset-vite';
import { defineConfig } from 'vite';
import { guides } from './web/docs/guides.mjs';

const web = path.join(import.meta.dirname, 'web');

/** Each page has one script and one style sheet with a fixed name, to which the server adds a version; parts that are loaded later have a hash in their names. */
export default defineConfig({
  root: web,
  publicDir: path.join(web, 'public'),
  plugins: [preact({ prefreshEnabled: false, devToolsEnabled: false }), guides(web)],
  logLevel: 'warn',
  build: {
    outDir: path.join(import.meta.dirname, 'dist', 'web'),
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: false,
    reportCompressedSize: false,
    assetsInlineLimit: 0,
    rollupOptions: {
      input: {
        dashboard: path.join(web, 'dashboard/main.tsx'),
        form: path.join(web, 'form/form.ts'),
        login: path.join(web, 'login/login.ts'),
        docs: path.join(web, 'docs/docs.ts'),
        'docs-language': path.join(web, 'docs/language.ts'),
        front: path.join(web, 'front/front.css'),
        embed: path.join(web, 'embed/embed.ts'),
        mini: path.join(web, 'mini/mini.ts'),
      },
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: '[name]-[hash].js',
        hashCharacters: 'hex',
        assetFileNames: '[name][extname]',
      },
    },
  },
});
