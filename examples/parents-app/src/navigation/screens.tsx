import { DarkTheme, DefaultTheme, NavigationContainer } from '@react-navigation/native'
import { createNativeStackNavigator } from '@react-navigation/native-stack'
import { StatusBar } from 'expo-status-bar'
import { Platform, useColorScheme, View } from 'react-native'
import { useLanguage } from '../i18n/language'
import { AcceptInvitationScreen } from '../screens/accept-invitation'
import { AddChildScreen } from '../screens/add-child'
import { BasestationScreen } from '../screens/basestation'
import { ChangePasswordScreen } from '../screens/change-password'
import { ChangePhoneScreen } from '../screens/change-phone'
import { ChildrenScreen } from '../screens/children'
import { ConnectClinicScreen } from '../screens/connect-clinic'
import { ConnectedAppsScreen } from '../screens/connected-apps'
import { ConsentsScreen } from '../screens/consents'
import { DayScreen } from '../screens/day'
import { DeleteAccountScreen } from '../screens/delete-account'
import { DeleteChildScreen } from '../screens/delete-child'
import { EditChildScreen } from '../screens/edit-child'
import { EmailScreen } from '../screens/email'
import { ExportDataScreen } from '../screens/export-data'
import { FindAccountScreen } from '../screens/find-account'
import { HandOverScreen } from '../screens/hand-over'
import { HelpScreen } from '../screens/help'
import { NoteScreen } from '../screens/note'
import { PairDeviceScreen } from '../screens/pair-device'
import { PeopleScreen } from '../screens/people'
import { PlanScreen } from '../screens/plan'
import { ProfileScreen } from '../screens/profile'
import { ResetPasswordScreen } from '../screens/reset-password'
import { SignInScreen } from '../screens/sign-in'
import { SignUpScreen } from '../screens/sign-up'
import { SurveyScreen } from '../screens/survey'
import { UpdateDeviceScreen } from '../screens/update-device'
import { usePush } from '../push/use-push'
import { ChosenChildProvider } from '../session/chosen-child'
import { useMissingConsents } from '../session/missing-consents'
import { useSession } from '../session/session'
import { usePalette } from '../theme/use-palette'
import { BackButton } from './back-button'
import type { Routes } from './routes'
import { Tabs } from './tabs'

/** The system font, which the rest of the app uses too. */
const fonts = {
  regular: { fontFamily: 'System', fontWeight: '400' },
  medium: { fontFamily: 'System', fontWeight: '500' },
  bold: { fontFamily: 'System', fontWeight: '600' },
  heavy: { fontFamily: 'System', fontWeight: '700' },
} as const

const Stack = createNativeStackNavigator<Routes>()

/** The screens of the app: one set for a signed-in user, another for sign-in. */
export function Screens() {
  const { t, format } = useLanguage()
  const { state } = useSession()
  const palette = usePalette()
  const consents = useMissingConsents(state.status === 'in')
  usePush(state.status === 'in' && consents === 'given')
  const base = useColorScheme() === 'dark' ? DarkTheme : DefaultTheme
  const colors = {
    primary: palette.accent,
    background: palette.ground,
    card: palette.ground,
    text: palette.ink,
    border: palette.line,
    notification: palette.danger,
  }
  if (state.status === 'unknown' || consents === 'unknown')
    return <View style={{ flex: 1, backgroundColor: palette.ground }} />
  return (
    <NavigationContainer theme={{ ...base, colors, fonts }}>
      <StatusBar style="auto" />
      <ChosenChildProvider key={state.status}>
        <Stack.Navigator
          screenOptions={({ navigation }) => ({
            headerShadowVisible: false,
            headerTitleStyle: {
              fontWeight: '600',
              // Phones enlarge titles by themselves. In a browser, larger ones would not fit on the smallest phone.
              ...(Platform.OS === 'web' ? { fontSize: 18 } : {}),
            },
            headerBackTitle: t.back,
            ...(Platform.OS === 'web' && navigation.canGoBack() ? { headerLeft: BackButton } : {}),
          })}
        >
          {state.status === 'in' && consents === 'missing' ? (
            <Stack.Screen
              name="Consents"
              component={ConsentsScreen}
              options={{ headerShown: false, title: t.consents.title }}
            />
          ) : state.status === 'in' ? (
            <>
              <Stack.Screen name="Tabs" component={Tabs} options={{ headerShown: false, title: t.appName }} />
              <Stack.Screen
                name="Children"
                component={ChildrenScreen}
                options={{ title: t.children.title }}
              />
              <Stack.Screen name="AddChild" component={AddChildScreen} options={{ title: t.children.add }} />
              <Stack.Screen
                name="EditChild"
                component={EditChildScreen}
                options={{ title: t.children.editTitle }}
              />
              <Stack.Screen
                name="PairDevice"
                component={PairDeviceScreen}
                options={{ title: t.pairing.title }}
              />
              <Stack.Screen
                name="UpdateDevice"
                component={UpdateDeviceScreen}
                options={{ title: t.firmware.title }}
              />
              <Stack.Screen
                name="DeleteChild"
                component={DeleteChildScreen}
                options={{ title: t.children.delete }}
              />
              <Stack.Screen name="People" component={PeopleScreen} options={{ title: t.sharing.title }} />
              <Stack.Screen
                name="HandOver"
                component={HandOverScreen}
                options={{ title: t.transfer.title }}
              />
              <Stack.Screen
                name="DeleteAccount"
                component={DeleteAccountScreen}
                options={{ title: t.settings.deleteAccount }}
              />
              <Stack.Screen
                name="ConnectClinic"
                component={ConnectClinicScreen}
                // Each link has a screen of its own, so that nothing of the link before stays on it.
                getId={({ params }) => params.code}
                options={{ title: t.clinics.connect }}
              />
              <Stack.Screen
                name="ConnectedApps"
                component={ConnectedAppsScreen}
                options={{ title: t.connections.title }}
              />
              <Stack.Screen
                name="AcceptInvitation"
                component={AcceptInvitationScreen}
                getId={({ params }) => params?.code}
                options={{ title: t.sharing.acceptTitle }}
              />
              <Stack.Screen
                name="Basestation"
                component={BasestationScreen}
                options={{ title: t.basestation.title }}
              />
              <Stack.Screen
                name="Day"
                component={DayScreen}
                options={({ route }) => ({ title: format.dayAndMonth(route.params.date) })}
              />
              <Stack.Screen name="Plan" component={PlanScreen} options={{ title: t.plans.title }} />
              <Stack.Screen name="Help" component={HelpScreen} options={{ title: t.help.title }} />
              <Stack.Screen name="Survey" component={SurveyScreen} options={{ title: t.surveys.add }} />
              <Stack.Screen
                name="Note"
                component={NoteScreen}
                options={({ route }) => ({ title: format.dayAndMonth(route.params.date) })}
              />
              <Stack.Screen
                name="ChangePassword"
                component={ChangePasswordScreen}
                options={{ title: t.settings.changePassword }}
              />
              <Stack.Screen
                name="Profile"
                component={ProfileScreen}
                options={{ title: t.settings.details }}
              />
              <Stack.Screen
                name="ChangePhone"
                component={ChangePhoneScreen}
                options={{ title: t.settings.changePhone }}
              />
              <Stack.Screen name="Email" component={EmailScreen} options={{ title: t.email.title }} />
              <Stack.Screen
                name="ExportData"
                component={ExportDataScreen}
                options={{ title: t.exportData.title }}
              />
            </>
          ) : (
            <>
              <Stack.Screen
                name="SignIn"
                component={SignInScreen}
                options={{ headerShown: false, title: t.signIn.title }}
              />
              <Stack.Screen name="SignUp" component={SignUpScreen} options={{ title: t.signUp.title }} />
              <Stack.Screen
                name="ResetPassword"
                component={ResetPasswordScreen}
                options={{ title: t.signIn.reset }}
              />
              <Stack.Screen
                name="FindAccount"
                component={FindAccountScreen}
                options={{ title: t.signIn.find }}
              />
            </>
          )}
        </Stack.Navigator>
      </ChosenChildProvider>
    </NavigationContainer>
  )
}
