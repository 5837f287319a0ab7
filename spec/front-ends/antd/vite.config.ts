import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  // The blog serves the application below a path.
  base: './',
  plugins: [react()],
  resolve: {
    alias: { 'resourcery/refine': fileURLToPath(new URL('../../../lib/entries/refine.ts', import.meta.url)) },
  },
  build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 4000 },
})
