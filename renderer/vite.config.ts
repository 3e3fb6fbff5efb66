import react from '@vitejs/plugin-react';
import {defineConfig} from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react()],
  build: {
    outDir: '../dist/renderer',
    emptyOutDir: true,
    rolldownOptions: {
      input: ['index.html', 'movie/stage.html', 'movie/encoder.html'].map(page => `${import.meta.dirname}/${page}`),
    },
    target: 'chrome130',
    modulePreload: {polyfill: false},
  },
});
