import '@fontsource/roboto/latin-400.css'
import '@fontsource/roboto/latin-500.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Panel } from './panel.tsx'

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no element with the id "root".')
createRoot(root).render(<StrictMode>
  <Panel />
</StrictMode>)
