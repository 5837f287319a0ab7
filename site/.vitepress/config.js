import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { address, sidebarOf, slugOf, version } from '../pages.js'
import { search } from './search.js'

const index = readFileSync(fileURLToPath(new URL('../../docs/README.md', import.meta.url)), 'utf8')

export default defineConfig({
  title: 'resourcery',
  description: 'Resource-style HTTP APIs for Express 5',
  lang: 'en',
  srcDir: '.pages',
  outDir: 'dist',
  cacheDir: '.cache',
  // The pages have links such as `crud.md`; addresses end with .html, so that any web server can serve them.
  cleanUrls: false,
  lastUpdated: false,
  vite: { build: { chunkSizeWarningLimit: 5_000 } },
  markdown: { anchor: { slugify: slugOf }, languageAlias: { haproxy: 'ini' },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark' } },
  themeConfig: {
    search: { provider: 'local', options: search },
    nav: [
      { text: 'Docs', link: '/' },
      { text: 'API', link: '/api/' },
      { text: `v${version}`, link: address === undefined ? '/' : `${address}/blob/main/CHANGELOG.md` },
    ],
    sidebar: [...sidebarOf(index), { text: 'API reference', collapsed: true,
      items: [{ text: 'All entries', link: '/api/' }] }],
    outline: { level: [2, 3] },
    externalLinkIcon: true,
    ...(address !== undefined && {
      editLink: {
        pattern: ({ filePath }) => `${address}/edit/main/docs/${filePath === 'index.md' ? 'README.md' : filePath}`,
      },
      socialLinks: [{ icon: 'github', link: address }],
    }),
  },
})
