import { defineConfig } from 'vite'
import { svelte } from '@sveltejs/vite-plugin-svelte'

// One script and one style sheet under fixed names: the server tells versions apart by their contents, and the report
// puts both into one page. Names without hashes keep the history of dist readable.
export default defineConfig({
  plugins: [svelte()],
  base: './',
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    target: 'es2022',
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: false,
    rollupOptions: {
      output: {
        entryFileNames: 'app.js',
        assetFileNames: (asset) => (asset.names[0]?.endsWith('.css') ? 'app.css' : '[name][extname]'),
      },
    },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:7737' } },
})
