import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const blog = 'http://127.0.0.1:3000'

export default defineConfig({
  // The blog serves the panel below a path.
  base: './',
  plugins: [react()],
  resolve: {
    // This repository is the package; a project of your own installs it.
    alias: {
      'resourcery/react-admin': fileURLToPath(
        new URL('../../lib/client/react-admin/data-provider.ts', import.meta.url),
      ),
    },
  },
  build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 2000 },
  server: { proxy: { '/admin': blog, '/uploads': blog } },
})
