import ArticleIcon from '@mui/icons-material/Article'
import DeleteIcon from '@mui/icons-material/DeleteOutlined'
import PeopleIcon from '@mui/icons-material/People'
import polyglotI18nProvider from 'ra-i18n-polyglot'
import { Admin, Resource } from 'react-admin'
import { DeletedPostList } from './deleted-posts.tsx'
import { PostCreate, PostEdit, PostList, PostShow } from './posts.tsx'
import { auth, data } from './providers.ts'
import { texts } from './texts.ts'
import { UserCreate, UserEdit, UserList } from './users.tsx'

const i18n = polyglotI18nProvider(() => texts, 'en')

/** The panel: react-admin shows of it what the signed-in user may see. */
export function Panel() {
  return (
    <Admin title='The blog' dataProvider={data} authProvider={auth} i18nProvider={i18n} requireAuth disableTelemetry>
      <Resource name='posts' icon={ArticleIcon} recordRepresentation='title' list={PostList} show={PostShow}
        edit={PostEdit} create={PostCreate} />
      <Resource name='deleted-posts' icon={DeleteIcon} list={DeletedPostList} />
      <Resource name='users' icon={PeopleIcon} recordRepresentation='name' list={UserList} edit={UserEdit}
        create={UserCreate} />
    </Admin>
  )
}
